package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// pairs takes l and gives it back, n times.
func pairs(ctx context.Context, l lock, n int) error {
	for range n {
		if err := l.take(ctx); err != nil {
			return err
		}
		if err := l.give(ctx); err != nil {
			return err
		}
	}
	return nil
}

// interleave runs each of n contenders once a round. Every round starts with
// another one, so that none is always first after a pause.
func interleave(rounds, n int, f func(round, which int) error) error {
	for round := range rounds {
		for i := range n {
			if err := f(round, (round+i)%n); err != nil {
				return err
			}
		}
	}
	return nil
}

// turnsInRound: contenders alternate often, so that what disturbs the
// machine for a moment meets all of them.
const turnsInRound = 2

// pairTime is the mean time of a pair of each lock, by round.
func pairTime(ctx context.Context, rounds int, window time.Duration, locks ...lock) ([]series, error) {
	spent, done := grid[time.Duration](len(locks), rounds), grid[int](len(locks), rounds)
	err := interleave(rounds*turnsInRound, len(locks), func(turn, which int) error {
		round := turn / turnsInRound
		for start := time.Now(); ; {
			if err := pairs(ctx, locks[which], 10); err != nil {
				return err
			}
			done[which][round] += 10
			if d := time.Since(start); d >= window/turnsInRound {
				spent[which][round] += d
				return nil
			}
		}
	})
	out := make([]series, len(locks))
	for i := range locks {
		for round := range rounds {
			out[i] = append(out[i], spent[i][round].Seconds()/float64(max(done[i][round], 1)))
		}
	}
	return out, err
}

func grid[T any](rows, columns int) [][]T {
	out := make([][]T, rows)
	for i := range out {
		out[i] = make([]T, columns)
	}
	return out
}

// series is one figure by round.
type series []float64

// over is the ratio of two series, round by round.
func (s series) over(other series) series {
	out := make(series, len(s))
	for i := range s {
		out[i] = s[i] / other[i]
	}
	return out
}

func (s series) median() float64 {
	sorted := slices.SortedFunc(slices.Values(s), cmp.Compare[float64])
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// spread is the least and the most of all rounds.
func (s series) spread() string {
	return fmt.Sprintf("%.2f-%.2f", slices.Min(s), slices.Max(s))
}
