package claim

// Idle reports whether nobody of this process is at the lock.
func (l *Line) Idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.places) == 0 && l.held == 0
}
