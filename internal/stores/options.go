package stores

// Option changes how a server is started. In a deployment of several servers
// it holds for each Redis server, but not for a sentinel, except WithBinary.
type Option func(*options)

type options struct {
	binary   string
	conf     []string
	replicas bool
	sentinel bool // the server is one; set by StartSentinel
}

// WithConfig adds lines of redis.conf, for example "appendonly yes". They
// come last, so they win over what the launcher writes.
func WithConfig(lines ...string) Option {
	return func(o *options) { o.conf = append(o.conf, lines...) }
}

// WithBinary names the server program, in place of the one in the
// environment variable HOLDFAST_REDIS_SERVER or in PATH.
func WithBinary(path string) Option {
	return func(o *options) { o.binary = path }
}

// WithReplicas gives each primary of a cluster one replica. It means nothing
// to other deployments.
func WithReplicas() Option {
	return func(o *options) { o.replicas = true }
}

func collect(opts []Option) options {
	var o options
	for _, set := range opts {
		set(&o)
	}
	return o
}

// with is o with more lines of configuration; o stays as it is.
func (o options) with(lines ...string) options {
	o.conf = append(append([]string(nil), lines...), o.conf...)
	return o
}
