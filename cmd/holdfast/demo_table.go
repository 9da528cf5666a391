package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// table prints the demo's rows as they come, so that there is something to read
// from the first second on.
type table struct {
	w        io.Writer
	terminal bool
}

func newTable(w io.Writer) *table {
	return &table{w: w, terminal: isTerminal(w)}
}

// isTerminal is false for files and pipes, which get no line that is written
// over.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

const (
	head   = "%-14s  %5s  %8s  %8s  %8s  %9s  %9s  %6s\n"
	wiping = "\r\x1b[K"
)

func (t *table) intro(where string) {
	fmt.Fprintf(t.w, "%d items are for sale. %d buyers on %d clients want %d each.\n", stockSize, buyers, demoClients, wanted)
	fmt.Fprintf(t.w, "A buyer reads the stock, thinks for a moment, and writes it back, less one.\n")
	fmt.Fprintf(t.w, "Store: %s.\n\n", where)
	fmt.Fprintf(t.w, head, "", "sold", "in stock", "oversold", "locks/s", "wait p50", "wait p99", "losses")
}

func (t *table) row(o outcome) {
	rate, p50, p99, losses := "-", "-", "-", "-"
	if o.locked {
		rate = fmt.Sprintf("%.0f", o.rate())
		p50, p99 = millis(percentile(o.waits, 50)), millis(percentile(o.waits, 99))
		losses = fmt.Sprint(o.losses)
	}
	line := fmt.Sprintf(head, o.title, fmt.Sprint(o.sold), fmt.Sprint(o.left), fmt.Sprint(o.oversold()), rate, p50, p99, losses)
	if o.fault() != "" {
		line = strings.TrimRight(line, "\n") + "  FAILED\n"
	}
	fmt.Fprint(t.w, line)
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// verdict says what the reader has just seen.
func (t *table) verdict(free outcome, locked []outcome) {
	fmt.Fprintln(t.w)
	bad := failures(locked)
	for _, o := range bad {
		fmt.Fprintf(t.w, "FAILED: under %q %s.\n", o.title, o.fault())
	}
	if len(bad) > 0 {
		return
	}
	each := "exactly"
	if slices.ContainsFunc(locked, func(o outcome) bool { return o.sold < o.stock }) {
		each = "at most" // some buyers lost their hold, and with it the purchase
	}
	fmt.Fprintf(t.w, "You just saw %d items sold %d times without a lock, and %s %d times under each lock.\n",
		free.stock, free.sold, each, free.stock)
}

// progress is a line that is written over while a sale is on; on a terminal
// alone.
func (t *table) progress(title string) func(asked func() int64) (stop func()) {
	if !t.terminal {
		return func(func() int64) func() { return func() {} }
	}
	return func(asked func() int64) func() {
		end, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for {
				fmt.Fprintf(t.w, "%s%-14s  %d of %d purchases ...", wiping, title, asked(), buyers*wanted)
				select {
				case <-tick.C:
				case <-end:
					fmt.Fprint(t.w, wiping)
					return
				}
			}
		}()
		return func() {
			close(end)
			<-ended
		}
	}
}
