package main

import (
	"fmt"
	"slices"
	"time"
)

// outcome is what came of one sale.
type outcome struct {
	title  string
	locked bool
	stock  int // before the sale
	demand int // purchases tried
	sold   int // as the buyers count
	left   int // as the store says
	took   time.Duration
	waits  []time.Duration // of each lock call that was granted
	losses int             // holds that ended under their buyer
	// backwards counts fencing tokens that were not above the one before.
	backwards int
}

func (o outcome) oversold() int { return max(0, o.sold-o.stock) }

// fault is what the lock did wrong, or empty. It is judged from the stock and
// the till alone, so a lock cannot vouch for itself.
func (o outcome) fault() string {
	switch {
	case !o.locked:
		return ""
	case o.oversold() > 0:
		return fmt.Sprintf("%d items were sold, and there were %d", o.sold, o.stock)
	case o.left != o.stock-o.sold:
		return fmt.Sprintf("%d of %d items were sold, and the stock says that %d are left", o.sold, o.stock, o.left)
	case o.backwards > 0:
		return fmt.Sprintf("%d fencing tokens did not grow", o.backwards)
	case o.sold+o.losses < min(o.stock, o.demand):
		return fmt.Sprintf("%d items were sold, and %d were there and wanted", o.sold, min(o.stock, o.demand))
	}
	return ""
}

// rate is how many lock calls were granted each second.
func (o outcome) rate() float64 {
	if o.took <= 0 {
		return 0
	}
	return float64(len(o.waits)) / o.took.Seconds()
}

// percentile is the wait that p of 100 lock calls did not exceed.
func percentile(waits []time.Duration, p int) time.Duration {
	if len(waits) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(waits))
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}

// failures are the outcomes in which a lock failed.
func failures(all []outcome) []outcome {
	return slices.DeleteFunc(slices.Clone(all), func(o outcome) bool { return o.fault() == "" })
}
