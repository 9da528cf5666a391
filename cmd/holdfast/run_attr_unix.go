//go:build unix && !linux

package main

import "syscall"

// childAttr: a group of its own, so that everything the command started can be
// stopped with it.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
