-- renew.lua: set the lease of those hashes anew that still have their owner's field.
-- KEYS  one hash for each owner
-- ARGV  lease in ms (0 only asks), one owner for each hash
-- reply {1, or 0 not its owner's, or -1 for a missing right, for each hash}
-- pcall: a key of another type is one lock lost, and no harm to the others.
local reply = {}
for i, key in ipairs(KEYS) do
  reply[i] = 0
  local ours = redis.pcall('HEXISTS', key, ARGV[i + 1])
  if ours == 1 then
    if ARGV[1] ~= '0' then
      redis.call('PEXPIRE', key, ARGV[1])
    end
    reply[i] = 1
  elseif ours ~= 0 and redis.call('TYPE', key).ok == 'hash' then
    reply[i] = -1
  end
end
return reply
