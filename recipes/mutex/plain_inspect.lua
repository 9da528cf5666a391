-- plain_inspect.lua: who holds the lock, whoever wrote it.
-- KEYS  lock, -, channel
-- reply {0, ttl, 0 [, owner, 1]} | {-2, type} other data
local owner = redis.pcall('GET', KEYS[1])
if type(owner) == 'table' then
  return {-2, redis.call('TYPE', KEYS[1]).ok}
end
if not owner then
  return {0, -2, 0}
end
return {0, redis.call('PTTL', KEYS[1]), 0, owner, 1}
