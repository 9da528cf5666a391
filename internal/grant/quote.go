package grant

import "strconv"

// longestShown bounds what of a name appears in an error or a log line: names
// come from users' users and may be long or hostile.
const longestShown = 128

// Quote makes a name fit for an error, a log line, a table.
func Quote(name string) string {
	if len(name) > longestShown {
		return strconv.Quote(name[:longestShown]) + "…"
	}
	return strconv.Quote(name)
}
