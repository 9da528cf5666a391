package grant

import "strconv"

// longestShown bounds what of a name appears in an error or a log line: names
// come from users' users and may be long or hostile.
const longestShown = 128

// Brief bounds a name for a log line, whose handler quotes it.
func Brief(name string) string {
	if len(name) > longestShown {
		return name[:longestShown] + "…"
	}
	return name
}

// Quote makes a name fit for an error, a table.
func Quote(name string) string {
	if len(name) > longestShown {
		return strconv.Quote(name[:longestShown]) + "…"
	}
	return strconv.Quote(name)
}
