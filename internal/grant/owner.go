package grant

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
)

// NewUUID is a random version-4 UUID from the system's source. It never derives
// from time, host or process, so two processes of one image cannot share it.
func NewUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the process instead
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// OwnerText is Redisson's owner id: the client's UUID and a number that is used
// once.
func OwnerText(client string, n int64) string {
	return client + ":" + strconv.FormatInt(n, 10)
}
