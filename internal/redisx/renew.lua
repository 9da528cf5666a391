-- renew.lua: set the lease of those hashes anew that still have their owner's field.
-- KEYS  one hash for each owner
-- ARGV  lease in ms (0 only asks), one owner for each hash
-- reply {1 or 0 for each hash}
-- pcall: a key of another type is one lock lost, and no harm to the others.
local reply = {}
for i, key in ipairs(KEYS) do
  reply[i] = 0
  if redis.pcall('HEXISTS', key, ARGV[i + 1]) == 1 then
    if ARGV[1] ~= '0' then
      redis.call('PEXPIRE', key, ARGV[1])
    end
    reply[i] = 1
  end
end
return reply
