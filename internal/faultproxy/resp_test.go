package faultproxy

import (
	"bufio"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func words(list ...string) string {
	var b strings.Builder
	b.WriteString("*" + strconv.Itoa(len(list)) + "\r\n")
	for _, w := range list {
		b.WriteString("$" + strconv.Itoa(len(w)) + "\r\n" + w + "\r\n")
	}
	return b.String()
}

func TestRequestsKnowHowManyFramesAnswerThem(t *testing.T) {
	type req struct {
		text   string
		name   string
		frames int
	}
	for name, stream := range map[string][]req{
		"ordinary": {{words("get", "k"), "GET", 1}, {"ping x\r\n", "PING", 1}},
		"nothing":  {{"\r\n", "", 0}, {"*0\r\n", "", 0}, {"*-1\r\n", "", 0}, {words("PING"), "PING", 1}},
		"subscriptions": {
			{words("SUBSCRIBE", "a", "b"), "SUBSCRIBE", 2},
			{words("PSUBSCRIBE", "p"), "PSUBSCRIBE", 1},
			{words("UNSUBSCRIBE"), "UNSUBSCRIBE", 2},
			{words("UNSUBSCRIBE"), "UNSUBSCRIBE", 1},
			{words("PUNSUBSCRIBE", "p"), "PUNSUBSCRIBE", 1},
		},
		"replies skipped": {
			{words("CLIENT", "REPLY", "SKIP"), "CLIENT", 0},
			{words("GET", "k"), "GET", 0},
			{words("GET", "k"), "GET", 1},
		},
		"replies off": {
			{words("CLIENT", "REPLY", "OFF"), "CLIENT", 0},
			{words("GET", "k"), "GET", 0},
			{words("CLIENT", "REPLY", "ON"), "CLIENT", 1},
		},
		"replication": {{words("PSYNC", "?", "-1"), "PSYNC", 0}, {words("REPLCONF", "ACK", "0"), "REPLCONF", 0}},
	} {
		t.Run(name, func(t *testing.T) {
			var all string
			for _, r := range stream {
				all += r.text
			}
			p, in := newResp(), bufio.NewReader(strings.NewReader(all))
			for _, want := range stream {
				got, err := p.readRequest(in)
				require.NoError(t, err)
				require.Equal(t, want.name, got.Name)
				require.Equal(t, want.frames, got.frames, "%q", want.text)
				require.Equal(t, want.text, string(got.raw))
			}
		})
	}
}

func TestRequestsOfAnythingButStringsAreRefused(t *testing.T) {
	for _, text := range []string{"*1\r\n:1\r\n", "*1\r\n$-1\r\n", "*x\r\n", "*1\r\n*0\r\n"} {
		_, err := newResp().readRequest(bufio.NewReader(strings.NewReader(text)))
		require.ErrorIs(t, err, errMalformed, "%q", text)
	}
}

func TestRepliesAreToldFromWhatNobodyAskedFor(t *testing.T) {
	msg2, msg3 := "*3\r\n+message\r\n+c\r\n+p\r\n", ">3\r\n+message\r\n+c\r\n+p\r\n"
	for _, c := range []struct {
		name, request, reply string
		subscribed, want     bool
	}{
		{"ordinary", words("GET", "k"), "+v\r\n", false, true},
		{"list that looks like a message", words("LRANGE", "k"), msg2, false, true},
		{"message, version 2", words("PING"), msg2, true, false},
		{"message, version 3", words("GET", "k"), msg3, false, false},
		{"pong of a subscriber", words("PING"), "*2\r\n+pong\r\n+\r\n", true, true},
		{"invalidation", words("GET", "k"), ">2\r\n+invalidate\r\n*0\r\n", false, false},
		{"confirmation, version 2", words("SUBSCRIBE", "c"), "*3\r\n+subscribe\r\n+c\r\n:1\r\n", true, true},
		{"confirmation, version 3", words("SUBSCRIBE", "c"), ">3\r\n+subscribe\r\n+c\r\n:1\r\n", true, true},
		{"confirmation of another kind", words("SUBSCRIBE", "c"), ">3\r\n+psubscribe\r\n+c\r\n:1\r\n", true, false},
		{"message before the confirmation", words("SUBSCRIBE", "c"), msg2, true, false},
		{"refused subscription", words("SUBSCRIBE", "c"), "-NOPERM\r\n", true, true},
		{"slot gone, version 2", words("PING"), "*3\r\n+sunsubscribe\r\n+c\r\n:0\r\n", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newResp().(*resp)
			req, err := p.readRequest(bufio.NewReader(strings.NewReader(c.request)))
			require.NoError(t, err)
			p.subscribed.Store(c.subscribed)
			rep, err := p.readReply(bufio.NewReader(strings.NewReader(c.reply)))
			require.NoError(t, err)
			require.Equal(t, c.want, p.answers(req, rep))
		})
	}
}

func TestMessagesAreUnderstood(t *testing.T) {
	require.Equal(t, &Push{"message", "c", "p"}, message([]string{"message", "c", "p"}))
	require.Equal(t, &Push{"smessage", "c", "p"}, message([]string{"smessage", "c", "p"}))
	require.Equal(t, &Push{"pmessage", "c", "p"}, message([]string{"pmessage", "c*", "c", "p"}))
	require.Nil(t, message([]string{"subscribe", "c", "1"}))
	require.Nil(t, message(nil))
}

func TestKeysOfARequest(t *testing.T) {
	for _, c := range []struct{ args, keys []string }{
		{[]string{"PING"}, nil},
		{[]string{"GET", "k"}, []string{"k"}},
		{[]string{"SET", "k", "v"}, []string{"k"}},
		{[]string{"DEL", "a", "b"}, []string{"a", "b"}},
		{[]string{"EVALSHA", "sha", "2", "a", "b", "arg"}, []string{"a", "b"}},
		{[]string{"EVAL", "return 1", "0"}, []string{}},
		{[]string{"EVAL", "return 1", "9", "a"}, nil},
		{[]string{"EVAL", "return 1", "x"}, nil},
		{[]string{"EVAL", "return 1"}, nil},
	} {
		require.Equal(t, c.keys, Request{Name: c.args[0], Args: c.args}.Keys(), "%q", c.args)
	}
}

func TestForgedErrorIsOneLine(t *testing.T) {
	p := newResp()
	require.Equal(t, "-BUSY wait\r\n", string(p.errorReply(nil, "-BUSY wait")))
	require.Equal(t, "-ERR a  b\r\n", string(p.errorReply(nil, "ERR a\r\nb")))
}
