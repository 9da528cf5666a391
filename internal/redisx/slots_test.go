package redisx

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlotsAreThoseOfRedis has numbers that CLUSTER KEYSLOT of Redis 7.0.15
// gave, and the check value of the CRC.
func TestSlotsAreThoseOfRedis(t *testing.T) {
	for key, slot := range map[string]int{
		"":                             0,
		"123456789":                    0x31C3,
		"a":                            15495,
		"{a}b":                         15495,
		"b{a}":                         15495,
		"{a}{b}":                       15495,
		"foo{{bar}}zap":                crcSlot("{bar"),
		"foo{bar}{zap}":                crcSlot("bar"),
		"x}y":                          8210,
		"redisson_lock__channel:{x}y}": 16287,
		"{}a":                          10875,
		"ключ":                         slowSlot("ключ"),
		"\x00\xff":                     slowSlot("\x00\xff"),
	} {
		require.Equal(t, slot, Slot(key), "%q", key)
	}
}

func TestTheTagIsWhatStandsInTheFirstBraces(t *testing.T) {
	for key, tag := range map[string]string{
		"{a}":      "a",
		"x{a}y":    "a",
		"{a}{b}":   "a",
		"{{a}}":    "{a",
		"}{a}":     "a",
		"{}":       "{}",
		"{}{a}":    "{}{a}", // an empty tag is none, and the first braces count
		"{a":       "{a",
		"a}":       "a}",
		"}a{":      "}a{",
		"a{b}c}":   "b",
		"{ö}":      "ö",
		"{a b:c}:": "a b:c",
	} {
		require.Equal(t, crcSlot(tag), Slot(key), "%q", key)
	}
}

func TestSlotsAgreeWithTheLongWay(t *testing.T) {
	for range 5000 {
		b := make([]byte, rand.IntN(40))
		for i := range b {
			b[i] = "ab{}\x00\xff:ü"[rand.IntN(9)]
		}
		require.Equal(t, slowSlot(string(b)), Slot(string(b)), "%q", b)
	}
}

// slowSlot is the rule of the cluster specification, word for word.
func slowSlot(key string) int {
	if open := strings.Index(key, "{"); open != -1 {
		if length := strings.Index(key[open+1:], "}"); length > 0 {
			key = key[open+1 : open+1+length]
		}
	}
	return crcSlot(key)
}

// crcSlot is CRC-16/XMODEM bit by bit.
func crcSlot(key string) int {
	crc := 0
	for i := range len(key) {
		for bit := 7; bit >= 0; bit-- {
			in := int(key[i]) >> bit & 1
			out := crc >> 15 & 1
			crc = crc << 1 & 0xffff
			if in != out {
				crc ^= 0x1021
			}
		}
	}
	return crc % 16384
}
