package redisx

import _ "embed"

//go:embed renew.lua
var renewLua string

// RenewHash renews every layout whose owner is a field of a hash at the name.
var RenewHash = NewScript(renewLua)
