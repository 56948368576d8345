import { type Script, toScript } from './script.ts'

/* The scripts over the one key that lists the sessions of a reader. What the lists are: `scripts.ts`. */

/** On the key of one reader: session, milliseconds, channel → ok. The key lasts at least that long. Without a channel an existing entry is unchanged. */
export const LIST_ADD: Script = onReader(`
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
if ARGV[3] == '' then
  -- A session that is extended lasts also when there is no memory (R3): a script that has written once is not refused any more.
  redis.call('ZREM', list, '')
  redis.call('ZADD', list, 'NX', now, ARGV[1])
else redis.call('ZADD', list, now, ARGV[1]) end
if redis.call('PTTL', list) < tonumber(ARGV[2]) then redis.call('PEXPIRE', list, ARGV[2]) end
if ARGV[3] ~= '' then redis.call('PUBLISH', ARGV[3], 'message') end
return {'ok'}`)

/** On the key of one reader: how many → sessions, each followed by when it was added; the newest first. */
export const LIST: Script = onReader(`return redis.call('ZREVRANGE', list, 0, ARGV[1] - 1, 'WITHSCORES')`)

/** On the key of one reader: session, when it was added → ok. An entry that was added again since stays. */
export const LIST_DROP: Script = onReader(`
if redis.call('ZSCORE', list, ARGV[1]) == ARGV[2] then redis.call('ZREM', list, ARGV[1]) end
return {'ok'}`)

function onReader(body: string): Script {
  return toScript(`local list = KEYS[1]\n${body.trim()}`)
}
