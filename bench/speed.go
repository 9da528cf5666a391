package main

import (
	"context"
	"fmt"
)

const (
	mostPair   = 1.3 // times the bare pair
	leastSpeed = 1.5 // times redsync
	leastEven  = 0.8 // turns of the slowest worker over those of the fastest
)

// measurePair is one worker on a lock nobody else wants.
func measurePair(ctx context.Context, b *bench, cfg config) error {
	locks := []lock{b.holdfast.lock(b.name()), b.redsync.lock(b.name()), b.bare.lock(b.name())}
	for _, l := range locks {
		if err := pairs(ctx, l, 200); err != nil {
			return err
		}
	}
	times, err := pairTime(ctx, cfg.rounds, cfg.window, locks...)
	if err != nil {
		return err
	}
	ours, redsync, bare := times[0], times[1], times[2]
	micros := func(s series) string { return fmt.Sprintf("%.0f us", s.median()*1e6) }
	b.report.speed(speed{
		what: "uncontended pair", holdfast: micros(ours), redsync: micros(redsync), bare: micros(bare),
		ratio: ours.over(bare), most: mostPair, to: "bare",
	})
	b.report.speed(speed{what: "  and redsync's", ratio: redsync.over(bare), to: "bare"})
	return nil
}

// measureHot is many workers on one name.
func measureHot(ctx context.Context, b *bench, cfg config) error {
	for _, workers := range []int{16, 64} {
		rates, even, err := compare(ctx, b, cfg, 1, workers, b.holdfast, b.redsync, b.keen)
		if err != nil {
			return err
		}
		b.report.speed(speed{
			what:     fmt.Sprintf("one name, %d workers", workers),
			holdfast: perSecond(rates[0]), redsync: perSecond(rates[1]),
			ratio: rates[0].over(rates[1]), least: leastSpeed, to: "redsync",
		})
		b.report.speed(speed{
			what:     "  turns, least/most",
			holdfast: fmt.Sprintf("%.2f", even[0].median()), redsync: fmt.Sprintf("%.2f", even[1].median()),
			ratio: even[0], least: leastEven,
		})
		b.report.speed(speed{
			what:    "  redsync asking every 5 ms",
			redsync: perSecond(rates[2]), ratio: rates[0].over(rates[2]), to: "that",
		})
		b.report.speed(speed{
			what:    "    its turns, least/most",
			redsync: fmt.Sprintf("%.2f", even[2].median()), ratio: even[2],
		})
	}
	return nil
}

// measureNames is many workers, each on a name of its own.
func measureNames(ctx context.Context, b *bench, cfg config) error {
	const n = 64
	rates, _, err := compare(ctx, b, cfg, n, n, b.holdfast, b.redsync, b.bare)
	if err != nil {
		return err
	}
	b.report.speed(speed{
		what:     fmt.Sprintf("%d names, %d workers", n, n),
		holdfast: perSecond(rates[0]), redsync: perSecond(rates[1]), bare: perSecond(rates[2]),
		ratio: rates[0].over(rates[1]), least: leastSpeed, to: "redsync",
	})
	b.report.speed(speed{what: "  beside bare", ratio: rates[0].over(rates[2]), to: "bare"})
	return nil
}

func perSecond(s series) string { return fmt.Sprintf("%.0f/s", s.median()) }
