package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheJudgeFindsWhatALockDidWrong(t *testing.T) {
	right := outcome{title: "x", locked: true, stock: 100, demand: 200, sold: 100, left: 0}
	for name, c := range map[string]struct {
		change func(*outcome)
		want   string
	}{
		"right":                 {func(*outcome) {}, ""},
		"oversold":              {func(o *outcome) { o.sold = 103 }, "103 items were sold, and there were 100"},
		"without a lock":        {func(o *outcome) { o.sold, o.locked = 103, false }, ""},
		"a sale undone":         {func(o *outcome) { o.left = 1 }, "100 of 100 items were sold, and the stock says that 1 are left"},
		"a stock below nothing": {func(o *outcome) { o.left = -1 }, "100 of 100 items were sold, and the stock says that -1 are left"},
		"tokens that stand":     {func(o *outcome) { o.backwards = 2 }, "2 fencing tokens did not grow"},
		"sold too little":       {func(o *outcome) { o.sold, o.left = 98, 2 }, "98 items were sold, and 100 were there and wanted"},
		"little was wanted":     {func(o *outcome) { o.sold, o.left, o.demand = 30, 70, 30 }, ""},
		"sales were lost":       {func(o *outcome) { o.sold, o.left, o.losses = 98, 2, 2 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := right
			c.change(&o)
			require.Equal(t, c.want, o.fault())
			require.Equal(t, c.want != "", len(failures([]outcome{right, o})) == 1)
		})
	}
}

func TestAPercentileIsAWaitThatHappened(t *testing.T) {
	var waits []time.Duration
	for i := 200; i > 0; i-- {
		waits = append(waits, time.Duration(i))
	}
	require.EqualValues(t, 100, percentile(waits, 50))
	require.EqualValues(t, 198, percentile(waits, 99))
	require.EqualValues(t, 7, percentile([]time.Duration{7}, 50))
	require.EqualValues(t, 7, percentile([]time.Duration{7}, 99))
	require.Zero(t, percentile(nil, 50))
}

func TestTheRateIsOfGrants(t *testing.T) {
	require.InDelta(t, 4, outcome{took: 500 * time.Millisecond, waits: make([]time.Duration, 2)}.rate(), 1e-9)
	require.Zero(t, outcome{}.rate())
}
