-- plain_acquire.lua: hold the lock. A repeat finds its own work.
-- KEYS  lock, mark of an undone owner, channel
-- ARGV  owner, lease in ms, levels (not stored)
-- reply {1, 0} held | {0, ttl} another owner's | {-1} undone | {-2, type} other data
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {1, 0}
end
local owner = redis.pcall('GET', KEYS[1])
if type(owner) == 'table' then
  return {-2, redis.call('TYPE', KEYS[1]).ok}
end
if not owner then
  return {-1}
end
local ttl = redis.call('PTTL', KEYS[1])
if owner ~= ARGV[1] then
  return {0, ttl}
end
if ttl >= 0 and ttl < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {1, 0}
