package main

import (
	"encoding/json"
	"io"
	"time"
)

func (v view) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v.value())
}

// The field names of the JSON are a promise.

type jsonStatus struct {
	Name    string       `json:"name"`
	Recipe  string       `json:"recipe"`
	Held    bool         `json:"held"`
	Limit   int          `json:"limit"`
	Free    int          `json:"free"`
	Holders []jsonHolder `json:"holders"`
	// Waiters is null when the store does not record them.
	Waiters []jsonWaiter `json:"waiters"`
}

type jsonHolder struct {
	Owner   string     `json:"owner"`
	Kind    string     `json:"kind"`
	Count   *int       `json:"count"`
	LeaseMS *int64     `json:"lease_ms"`
	Since   *time.Time `json:"since"`
	Fence   *int64     `json:"fence"`
	jsonOrigin
}

type jsonWaiter struct {
	Owner string     `json:"owner"`
	Kind  string     `json:"kind"`
	Since *time.Time `json:"since"`
	Until *time.Time `json:"until"`
	Fence *int64     `json:"fence"`
	jsonOrigin
}

type jsonOrigin struct {
	Session *string `json:"session"`
	Host    *string `json:"host"`
}

func (v view) value() jsonStatus {
	out := jsonStatus{
		Name: v.Name, Recipe: v.recipe, Held: len(v.Holders) > 0, Limit: v.Limit, Free: v.Free,
		Holders: []jsonHolder{},
	}
	for _, h := range v.Holders {
		j := jsonHolder{Owner: h.ID, Kind: h.Kind, Since: known(h.Since), jsonOrigin: v.jsonOrigin(h.ID)}
		if h.Count > 0 {
			j.Count = &h.Count
		}
		if h.TTL > 0 {
			ms := h.TTL.Milliseconds()
			j.LeaseMS = &ms
		}
		if h.HasFence {
			j.Fence = &h.Fence
		}
		out.Holders = append(out.Holders, j)
	}
	if !v.QueueStored {
		return out
	}
	out.Waiters = []jsonWaiter{}
	for _, w := range v.Waiters {
		j := jsonWaiter{Owner: w.ID, Kind: w.Kind, Since: known(w.Since), Until: known(w.Until), jsonOrigin: v.jsonOrigin(w.ID)}
		if d, ok := v.details[w.ID]; ok {
			j.Fence = &d.czxid
		}
		out.Waiters = append(out.Waiters, j)
	}
	return out
}

func (v view) jsonOrigin(owner string) (o jsonOrigin) {
	d, ok := v.details[owner]
	if !ok {
		return o
	}
	session := hex(d.session)
	o.Session = &session
	if d.host != "" {
		o.Host = &d.host
	}
	return o
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
