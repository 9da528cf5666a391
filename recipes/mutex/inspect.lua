-- inspect.lua: who holds the lock, whoever wrote it.
-- KEYS  lock, -, channel [, fence counter]
-- reply {0, ttl, fence, owner, levels, ...} | {-2, type} other data
local seen = redis.pcall('HGETALL', KEYS[1])
if seen.err then
  return {-2, redis.call('TYPE', KEYS[1]).ok}
end
local reply = {0, redis.call('PTTL', KEYS[1]), 0}
if KEYS[4] then
  reply[3] = redis.call('GET', KEYS[4]) or 0
end
for i = 1, #seen, 2 do
  if seen[i] == 'mode' then
    return {-2, 'mode'}
  end
  reply[#reply + 1] = seen[i]
  reply[#reply + 1] = seen[i + 1]
end
return reply
