//go:build !linux

package stores

import "syscall"

// childAttr: only Linux ends a child with its parent. Elsewhere a launcher
// that is killed leaves its servers behind.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
