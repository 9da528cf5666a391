package settings

import (
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// Common is what both cores have.
type Common struct {
	Namespace     string
	ReleaseBudget time.Duration
	ClockRate     float64
	Logger        *slog.Logger
	Observer      recipes.Observer
}

func defaultCommon() Common {
	return Common{
		ReleaseBudget: 5 * time.Second,
		ClockRate:     0.01,
		Logger:        slog.New(slog.DiscardHandler),
	}
}

// Invalid is the error of a bad option.
func Invalid(option, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", option, recipes.ErrInvalid, fmt.Sprintf(format, args...))
}

// SetReleaseBudget is WithReleaseBudget of both cores.
func (c *Common) SetReleaseBudget(d time.Duration) error {
	if d <= 0 || d > grant.MaxLease {
		return Invalid("WithReleaseBudget", "%v is not a time to wait", d)
	}
	c.ReleaseBudget = d
	return nil
}

// SetClockRate is WithClockRate of both cores.
func (c *Common) SetClockRate(part float64) error {
	if math.IsNaN(part) || part < 0 || part > 0.5 {
		return Invalid("WithClockRate", "%v is not between 0 and 0.5", part)
	}
	c.ClockRate = part
	return nil
}

// SetLogger is WithLogger of both cores.
func (c *Common) SetLogger(l *slog.Logger) error {
	if l == nil {
		return Invalid("WithLogger", "the logger is nil")
	}
	c.Logger = l
	return nil
}

// SetObserver is WithObserver of both cores.
func (c *Common) SetObserver(o recipes.Observer) error {
	if o == nil {
		return Invalid("WithObserver", "the observer is nil")
	}
	c.Observer = o
	return nil
}
