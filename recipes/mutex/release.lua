-- release.lua: leave that many levels; with 0 let go and tell one waiter of each process.
-- KEYS  lock, mark of an undone owner, channel [, fence counter]
-- ARGV  owner, levels left, PUBLISH or SPUBLISH or BOTH, mark: 0 never, 1 if nothing was there, 2 always
-- reply {1, hearers} let go | {2} levels left | {0} not ours
-- The lock goes first: without the right to publish, or with a full memory, only
-- what follows fails.
local levels = redis.pcall('HGET', KEYS[1], ARGV[1])
if type(levels) == 'table' and redis.call('TYPE', KEYS[1]).ok == 'hash' then
  return levels -- a right is missing
end
if not levels or type(levels) == 'table' then
  if ARGV[4] ~= '0' then
    redis.pcall('SET', KEYS[2], '1', 'PX', 60000)
  end
  return {0}
end
if ARGV[2] ~= '0' then
  if (tonumber(levels) or 0) > tonumber(ARGV[2]) then
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  end
  return {2}
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
