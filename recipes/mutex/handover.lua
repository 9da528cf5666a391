-- handover.lua: from one owner to the next of the same process, as a new grant.
-- KEYS  lock, mark of the heir, channel [, fence counter]
-- ARGV  owner, heir, lease in ms, PUBLISH or SPUBLISH or BOTH
-- reply {1, fence} the heir holds | {2, hearers} the heir has left or cannot be given it: let go | {0} not ours
local fence = 0
local seen = redis.pcall('HMGET', KEYS[1], ARGV[1], ARGV[2])
if seen.err and redis.call('TYPE', KEYS[1]).ok == 'hash' then
  return seen -- a right is missing
end
if seen.err or not seen[1] and not seen[2] then
  return {0}
end
if not seen[1] then
  -- A repeat: the heir's lease counts from here, for its answer is this one.
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  if KEYS[4] then
    fence = redis.call('GET', KEYS[4]) or 0
  end
  return {1, fence}
end
local given = redis.call('EXISTS', KEYS[2]) == 0
if given and KEYS[4] then
  if redis.call('EXISTS', KEYS[4]) == 0 then
    local t = redis.call('TIME')
    given = redis.pcall('SET', KEYS[4], string.format('%.0f', t[1] * 1000000 + t[2])).ok
  end
  fence = given and redis.pcall('INCR', KEYS[4])
  given = type(fence) == 'number'
  if given and fence > 9007199254740991 then
    fence = redis.call('GET', KEYS[4])
  end
end
if given then
  -- The heir's field comes before the owner's goes: with a full memory, or
  -- without a right, one of the three fails, and the lock is released instead.
  given = type(redis.pcall('HSET', KEYS[1], ARGV[2], 1)) == 'number'
    and type(redis.pcall('HDEL', KEYS[1], ARGV[1])) == 'number'
    and type(redis.pcall('PEXPIRE', KEYS[1], ARGV[3])) == 'number'
end
if given then
  return {1, fence}
end
redis.call('DEL', KEYS[1])
local heard, n = 0, 0
if ARGV[4] ~= 'SPUBLISH' then
  n = redis.pcall('PUBLISH', KEYS[3], '0')
  heard = type(n) == 'number' and n or 0
end
if ARGV[4] ~= 'PUBLISH' then
  n = redis.pcall('SPUBLISH', KEYS[3], '0')
  heard = heard + (type(n) == 'number' and n or 0)
end
return {2, heard}
