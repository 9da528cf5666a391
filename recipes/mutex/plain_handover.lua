-- plain_handover.lua: from one owner to the next of the same process, as a new grant.
-- KEYS  lock, mark of the heir, channel
-- ARGV  owner, heir, lease in ms, PUBLISH or SPUBLISH or BOTH
-- reply {1, 0} the heir holds | {2, hearers} the heir has left or cannot be given it: let go | {0} not ours
local owner = redis.pcall('GET', KEYS[1])
if owner == ARGV[2] then
  redis.call('PEXPIRE', KEYS[1], ARGV[3]) -- a repeat
  return {1, 0}
end
if owner ~= ARGV[1] then
  return {0}
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  local set = redis.pcall('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  if set.ok then
    return {1, 0}
  end
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
