package stores

import "time"

// Option changes how a server is started. In a deployment of several servers
// it holds for each Redis server, but not for a sentinel, except WithBinary.
type Option func(*options)

type options struct {
	binary   string
	conf     []string
	replicas bool
	sentinel bool // the server is one; set by StartSentinel

	version    string // the rest is for ZooKeeper
	tick       time.Duration
	containers time.Duration
	jvm        []string
	tls        bool
}

// WithConfig adds lines of redis.conf, for example "appendonly yes", or of
// zoo.cfg, for example "maxClientCnxns=2". They come last, so they win over
// what the launcher writes.
func WithConfig(lines ...string) Option {
	return func(o *options) { o.conf = append(o.conf, lines...) }
}

// WithBinary names the Redis server program, in place of the one in the
// environment variable HOLDFAST_REDIS_SERVER or in PATH.
func WithBinary(path string) Option {
	return func(o *options) { o.binary = path }
}

// WithReplicas gives each primary of a cluster one replica. It means nothing
// to other deployments.
func WithReplicas() Option {
	return func(o *options) { o.replicas = true }
}

// WithVersion chooses ZooKeeper's version, in place of the one in the
// environment variable HOLDFAST_ZOOKEEPER or the distribution's.
func WithVersion(version string) Option {
	return func(o *options) { o.version = version }
}

// WithTick sets ZooKeeper's tick, 200 ms by default. Sessions last from two
// ticks to a minute and end on a whole tick.
func WithTick(tick time.Duration) Option {
	return func(o *options) { o.tick = tick }
}

// WithContainerCheck makes ZooKeeper look for empty container nodes this
// often, in place of once a minute.
func WithContainerCheck(period time.Duration) Option {
	return func(o *options) { o.containers = period }
}

// WithJVM adds options of the java command of a ZooKeeper server.
func WithJVM(flags ...string) Option {
	return func(o *options) { o.jvm = append(o.jvm, flags...) }
}

func collect(opts []Option) options {
	o := options{tick: 200 * time.Millisecond}
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
