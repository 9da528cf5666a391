package onzookeeper

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// watched are the watches below path, by what the servers say.
func (p *Place) watched(path string) (found []string, err error) {
	err = p.each("wchp", func(line string) {
		if strings.HasPrefix(line, path+"/") {
			found = append(found, "a watch on "+line)
		}
	})
	return found, err
}

// alive are those of the sessions that a server has not ended.
func (p *Place) alive(sessions []int64) (found []string, err error) {
	if len(sessions) == 0 {
		return nil, nil
	}
	err = p.each("dump", func(line string) {
		for _, id := range sessions {
			if strings.TrimSuffix(line, ":") == fmt.Sprintf("0x%x", uint64(id)) {
				found = append(found, "session "+line)
			}
		}
	})
	slices.Sort(found)
	return slices.Compact(found), err
}

// each asks every server one of the four-letter words.
func (p *Place) each(word string, read func(line string)) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second) // also after the test's own has ended
	defer cancel()
	for _, s := range p.servers {
		said, err := s.Ask(ctx, word)
		if err != nil {
			return err
		}
		for line := range strings.Lines(said) {
			read(strings.TrimSpace(line))
		}
	}
	return nil
}
