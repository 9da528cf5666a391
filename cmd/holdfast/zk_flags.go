package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/holdfast-go/holdfast/zkcore"
)

// zkFlags mean nothing on Redis.
type zkFlags struct {
	ZKAuth []string `group:"zk" name:"zk-auth" sep:"none" placeholder:"SCHEME:DATA" help:"Identity to prove, for example digest:user:password; may be given more than once. Other users of this machine see arguments: the environment is the better place ($$HOLDFAST_ZK_AUTH)."`
	ZKACL  []string `group:"zk" name:"zk-acl" placeholder:"SCHEME:ID:PERMS" help:"Access list of the nodes that are made, as for zkCli's setAcl, for example auth::cdrwa. Without it anybody may do anything, as with Curator."`
}

// zkOptions never put what --zk-auth was given into an error.
func (f *zkFlags) zkOptions() ([]zkcore.Option, error) {
	identities := f.ZKAuth
	if one := os.Getenv("HOLDFAST_ZK_AUTH"); one != "" && len(identities) == 0 {
		identities = []string{one}
	}
	var opts []zkcore.Option
	for _, identity := range identities {
		scheme, data, ok := strings.Cut(identity, ":")
		if !ok || scheme == "" {
			return nil, errors.New("--zk-auth is not of the form scheme:data, for example digest:user:password")
		}
		opts = append(opts, zkcore.WithAuth(scheme, []byte(data)))
	}
	if len(f.ZKACL) == 0 {
		return opts, nil
	}
	var list []zkcore.ACL
	for _, text := range f.ZKACL {
		entry, err := accessEntry(text)
		if err != nil {
			return nil, err
		}
		list = append(list, entry)
	}
	return append(opts, zkcore.WithACL(list...)), nil
}

// accessEntry reads scheme:id:perms; an id may have colons, and be empty.
func accessEntry(text string) (zkcore.ACL, error) {
	bad := fmt.Errorf("--zk-acl %q is not of the form scheme:id:perms, with perms some of cdrwa", text)
	scheme, rest, _ := strings.Cut(text, ":")
	last := strings.LastIndexByte(rest, ':')
	if scheme == "" || last < 0 || last == len(rest)-1 {
		return zkcore.ACL{}, bad
	}
	entry := zkcore.ACL{Scheme: scheme, ID: rest[:last]}
	for _, letter := range rest[last+1:] {
		bit := strings.IndexRune("rwcda", letter) // in the order of the protocol's bits
		if bit < 0 {
			return zkcore.ACL{}, bad
		}
		entry.Perms |= 1 << bit
	}
	return entry, nil
}
