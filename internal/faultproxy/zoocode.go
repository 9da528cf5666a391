package faultproxy

import "strconv"

// Errors of ZooKeeper, for ReplyCode.
const (
	CodeSystemError      = -1
	CodeConnectionLoss   = -4
	CodeMarshallingError = -5
	CodeUnimplemented    = -6
	CodeOperationTimeout = -7
	CodeBadArguments     = -8
	CodeAPIError         = -100
	CodeNoNode           = -101
	CodeNoAuth           = -102
	CodeBadVersion       = -103
	CodeNodeExists       = -110
	CodeNotEmpty         = -111
	CodeSessionExpired   = -112
	CodeInvalidACL       = -114
	CodeAuthFailed       = -115
	CodeSessionMoved     = -118
	CodeNotReadOnly      = -119
	CodeQuotaExceeded    = -125
	CodeThrottled        = -127
)

// ReplyCode keeps the request from a ZooKeeper server and answers it with an
// error. The answer to a handshake is always that the session has expired.
func ReplyCode(code int32) Action {
	return Action{kind: actRefuse, text: strconv.Itoa(int(code)), code: code}
}

// zooCode is the error in a forged answer. Only ReplyCode's texts are numbers;
// a line for Redis says nothing to a client of ZooKeeper.
func zooCode(text string) int32 {
	code, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return CodeSystemError
	}
	return int32(code)
}
