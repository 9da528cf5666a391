package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// speed is one row that is judged by a ratio, and never fails.
type speed struct {
	what                    string
	holdfast, redsync, bare string
	ratio                   series
	least, most             float64 // 0: no aim
	to                      string  // what the ratio is taken to
}

// count is one row that does not depend on the machine.
type count struct {
	what, who string
	got, most float64 // most 0: no aim
}

type report struct {
	speeds []speed
	counts []count
}

func (r *report) speed(s speed) { r.speeds = append(r.speeds, s) }

func (r *report) count(c count) { r.counts = append(r.counts, c) }

func (s speed) met() bool {
	m := s.ratio.median()
	return m >= s.least && (s.most == 0 || m <= s.most)
}

func (s speed) aim() string {
	to := ""
	if s.to != "" {
		to = " x " + s.to
	}
	switch {
	case s.least > 0:
		return fmt.Sprintf(">= %.1f%s", s.least, to)
	case s.most > 0:
		return fmt.Sprintf("<= %.1f%s", s.most, to)
	}
	return "-" + to
}

func (c count) met() bool { return c.most == 0 || c.got <= c.most }

func verdict(aimed, met bool) string {
	switch {
	case !aimed:
		return ""
	case met:
		return "met"
	}
	return "MISSED"
}

func (r *report) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(r.speeds) > 0 {
		fmt.Fprintln(w, "\nspeed\tholdfast\tredsync\tbare\tratio\tspread\taim\t")
		for _, s := range r.speeds {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.2f\t%s\t%s\t%s\n", s.what, s.holdfast, s.redsync, s.bare,
				s.ratio.median(), s.ratio.spread(), s.aim(), verdict(s.least+s.most > 0, s.met()))
		}
	}
	w.Flush()
	if len(r.counts) > 0 {
		fmt.Fprintln(w, "\ncount\tof\tgot\taim\t")
		for _, c := range r.counts {
			aim := "-"
			if c.most > 0 {
				aim = "<= " + number(c.most)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.what, c.who, number(c.got), aim, verdict(c.most > 0, c.met()))
		}
	}
	w.Flush()
}

func number(f float64) string {
	s := fmt.Sprintf("%.2f", f)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// failure is an error when a count has missed its aim.
func (r *report) failure() error {
	var missed []string
	for _, c := range r.counts {
		if !c.met() {
			missed = append(missed, strings.TrimSpace(c.what))
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("missed: %s", strings.Join(missed, "; "))
	}
	return nil
}
