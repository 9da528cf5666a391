-- acquire.lua: hold the lock with that many levels. A repeat finds its own work.
-- KEYS  lock, mark of an undone owner, channel [, fence counter]
-- ARGV  owner, lease in ms (0 leaves it), levels
-- reply {1, fence} held | {0, ttl} another owner's, or gone | {-1} undone | {-2, type} other data
local fence = 0
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then
  if ARGV[3] ~= '1' then
    return {0, -2} -- a level above the first needs the first
  end
  if KEYS[4] then
    if redis.call('EXISTS', KEYS[4]) == 0 then
      -- The counter is new, or was lost: go on above all that was handed out.
      local t = redis.call('TIME')
      redis.call('SET', KEYS[4], string.format('%.0f', t[1] * 1000000 + t[2]))
    end
    fence = redis.call('INCR', KEYS[4])
    if fence > 9007199254740991 then
      fence = redis.call('GET', KEYS[4]) -- Lua's numbers are exact up to 2^53
    end
  end
  redis.call('HSET', KEYS[1], ARGV[1], 1)
  local lasts = redis.pcall('PEXPIRE', KEYS[1], ARGV[2])
  if type(lasts) == 'table' then
    redis.call('DEL', KEYS[1]) -- not without an end, whatever forbids to set one
    return lasts
  end
  return {1, fence}
end
local seen = redis.pcall('HMGET', KEYS[1], ARGV[1], 'mode')
if seen.err then
  local kind = redis.call('TYPE', KEYS[1]).ok
  if kind == 'hash' then
    return seen -- a right is missing
  end
  return {-2, kind}
end
if seen[2] then
  return {-2, 'mode'}
end
local ttl = redis.call('PTTL', KEYS[1])
if not seen[1] then
  if ttl == -2 then
    return {-1}
  end
  return {0, ttl}
end
if KEYS[4] then
  fence = redis.call('GET', KEYS[4]) or 0
end
if seen[1] ~= ARGV[3] then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
if ttl >= 0 and ttl < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {1, fence}
