package interop_test

import (
	"testing"
	"time"
)

// In a cluster a release is published sharded or plain, and who listens the
// other way hears nothing: H-17.
func TestH17ReleasesAreHeardInACluster(t *testing.T) {
	beside(t, onCluster, func(t *testing.T, p *pair) {
		p.wakes(t, p.name("wakes"), 5)
		p.shared(t, p.name("hot"), 1500*time.Millisecond)
	})
}

func TestH17SignalsOfBothKindsAreHeardInACluster(t *testing.T) {
	beside(t, onClusterBothWays, func(t *testing.T, p *pair) {
		p.wakes(t, p.name("wakes"), 5)
		p.shared(t, p.name("hot"), 1500*time.Millisecond)
	})
}

func TestBL14NamesFallIntoTheSameSlotsInBothLanguages(t *testing.T) {
	beside(t, onCluster, func(t *testing.T, p *pair) { p.namesAgree(t) })
}

func TestReleasesAreHeardBehindSentinels(t *testing.T) {
	beside(t, onSentinel, func(t *testing.T, p *pair) {
		p.wakes(t, p.name("wakes"), 5)
		p.shared(t, p.name("hot"), 1500*time.Millisecond)
	})
}
