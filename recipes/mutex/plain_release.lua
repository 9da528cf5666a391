-- plain_release.lua: compare and delete, and tell the waiters of this library.
-- KEYS  lock, mark of an undone owner, channel
-- ARGV  owner, 0, PUBLISH or SPUBLISH or BOTH, mark: 0 never, 1 if nothing was there, 2 always
-- reply {1, hearers} let go | {0} not ours
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  if ARGV[4] ~= '0' then
    redis.pcall('SET', KEYS[2], '1', 'PX', 60000)
  end
  return {0}
end
redis.call('DEL', KEYS[1])
local heard, n = 0, 0
if ARGV[3] ~= 'SPUBLISH' then
  n = redis.pcall('PUBLISH', KEYS[3], '0')
  heard = type(n) == 'number' and n or 0
end
if ARGV[3] ~= 'PUBLISH' then
  n = redis.pcall('SPUBLISH', KEYS[3], '0')
  heard = heard + (type(n) == 'number' and n or 0)
end
if ARGV[4] == '2' then
  redis.pcall('SET', KEYS[2], '1', 'PX', 60000)
end
return {1, heard}
