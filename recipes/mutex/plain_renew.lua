-- plain_renew.lua: set the lease of those locks anew that are still their owner's.
-- KEYS  one lock for each owner
-- ARGV  lease in ms (0 only asks), one owner for each lock
-- reply {1 or 0 for each lock}
local reply = {}
for i, key in ipairs(KEYS) do
  reply[i] = 0
  if redis.pcall('GET', key) == ARGV[i + 1] then
    if ARGV[1] ~= '0' then
      redis.call('PEXPIRE', key, ARGV[1])
    end
    reply[i] = 1
  end
end
return reply
