-- plain_force.lua: take the lock from one owner.
-- KEYS  lock, -, channel
-- ARGV  owner, PUBLISH or SPUBLISH or BOTH
-- reply {1, hearers} | {0} that owner does not hold it
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return {0}
end
redis.call('DEL', KEYS[1])
local heard, n = 0, 0
if ARGV[2] ~= 'SPUBLISH' then
  n = redis.pcall('PUBLISH', KEYS[3], '0')
  heard = type(n) == 'number' and n or 0
end
if ARGV[2] ~= 'PUBLISH' then
  n = redis.pcall('SPUBLISH', KEYS[3], '0')
  heard = heard + (type(n) == 'number' and n or 0)
end
return {1, heard}
