package zkx

import (
	"net"
	"sync"
)

// hostAddress is what Curator writes into its nodes: an address of this machine,
// for whoever looks at the line. No peer interprets it.
var hostAddress = sync.OnceValue(func() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	found := ""
	for _, a := range addrs {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.To4() == nil && found != "" {
			continue
		}
		if !ip.IP.IsLoopback() && !ip.IP.IsLinkLocalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
		if found == "" {
			found = ip.IP.String()
		}
	}
	return found
})
