package core

import (
	"errors"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
)

// Named puts the verb and the lock's name to an error from below. What says
// nothing about the lock means that the store is not there.
func Named(verb, name string, err error) error {
	var trouble *claim.Trouble
	var fault *grant.Fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &trouble):
		return &grant.Fault{Verb: verb, Name: name, Kind: grant.ErrUnavailable, Causes: []error{trouble.Err}}
	case !errors.As(err, &fault):
		return &grant.Fault{Verb: verb, Name: name, Kind: grant.ErrUnavailable, Causes: []error{err}}
	case fault.Verb == "":
		fault.Verb, fault.Name = verb, name
	}
	return err
}
