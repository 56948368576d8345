import { createHash } from 'node:crypto'

/** A step that Redis does as one. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/**
 * Every change of a session is one script over all of its keys:
 *
 *   session  hash: owner, token (of who opened it), at (when it expires), and `q:<id>` → position for each open question
 *   ids      hash: `m:<id>` → what became of a message that is no open question (and one field of no meaning, so that it exists)
 *              note <position> · answered <position> <reply> <token> · taken <position> <reply> <token> <taker> · done <token>
 *   send     stream of messages; receive: stream of replies
 *
 * R1  A session exists if all four keys do. They expire in the same instant, and within a script no time passes.
 * R2  A script that is done again with the same token or message id changes nothing and answers the same, so that a connection
 *     that breaks in the middle is answered by asking again, and never by a guess.
 * R3  The first command that writes is one that Redis refuses when it has no memory, so that what is refused left nothing behind.
 *     The exceptions are those by which a session lasts and things go: they begin with one that is never refused for that.
 * R4  No script costs more in a session with more messages, save `pending`, which costs what it returns.
 */
function script(body: string): Script {
  const lua = `local session, ids, send, receive = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local there = redis.call('EXISTS', session, ids, send, receive)
${body.trim()}`
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

const GONE = `if there < 4 then return {'missing'} end`

const EXPIRE = `local time = redis.call('TIME')
local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + milliseconds)
local function expire()
  for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, at) end
end`

/** owner, milliseconds, token → ok | exists */
export const OPEN: Script = script(`
if there == 4 then
  if redis.call('HGET', session, 'token') == ARGV[3] then return {'ok'} end
  return {'exists'}
end
if there > 0 then redis.call('DEL', session, ids, send, receive) end
local milliseconds = ARGV[2]
${EXPIRE}
redis.call('HSET', session, 'owner', ARGV[1], 'token', ARGV[3], 'at', at)
redis.call('HSET', ids, 'v', '1')
for _, key in ipairs({send, receive}) do redis.call('XDEL', key, redis.call('XADD', key, '*', 'v', '1')) end
expire()
return {'ok'}`)

/** milliseconds → ok | missing */
export const EXTEND: Script = script(`
${GONE}
local milliseconds = ARGV[1]
${EXPIRE}
expire()
redis.call('HSET', session, 'at', at)
return {'ok'}`)

/** channel → ok | missing */
export const CLOSE: Script = script(`
if there > 0 then redis.call('DEL', session, ids, send, receive) end
${GONE}
redis.call('PUBLISH', ARGV[1], 'end')
return {'ok'}`)

/** → ok, owner, when it expires | missing */
export const DESCRIBE: Script = script(`
${GONE}
local facts = redis.call('HMGET', session, 'owner', 'at')
return {'ok', facts[1], facts[2]}`)

/** channel, id, type, content → ok, position | used | missing */
export const SEND: Script = script(`
${GONE}
local id, kind = ARGV[2], ARGV[3]
local open = redis.call('HGET', session, 'q:' .. id)
if open then return {'ok', open} end
local fate = redis.call('HGET', ids, 'm:' .. id)
if fate then
  local position = string.match(fate, '^%a+ (%d+%-%d+)')
  if position then return {'ok', position} end
  return {'used'}
end
local position = redis.call('XADD', send, '*', 'v', '1', 'msg_id', id, 'msg_type', kind, 'content', ARGV[4])
if kind == 'Notification' then redis.call('HSET', ids, 'm:' .. id, 'note ' .. position)
else redis.call('HSET', session, 'q:' .. id, position) end
redis.call('PUBLISH', ARGV[1], 'message')
return {'ok', position}`)

/** start, limit → ok, milliseconds left, messages, owner if there are any | missing */
export const READ: Script = script(`
${GONE}
local found = redis.call('XRANGE', send, ARGV[1], '+', 'COUNT', ARGV[2])
return {'ok', redis.call('PTTL', send), found, found[1] and redis.call('HGET', session, 'owner')}`)

/** → ok, messages in no order, owner | missing */
export const PENDING: Script = script(`
${GONE}
local found = {}
local facts = redis.call('HGETALL', session)
for i = 1, #facts, 2 do
  if string.sub(facts[i], 1, 2) == 'q:' then
    local entry = redis.call('XRANGE', send, facts[i + 1], facts[i + 1])[1]
    if entry then found[#found + 1] = entry end
  end
end
return {'ok', found, redis.call('HGET', session, 'owner')}`)

/** id → ok, message | unknown | missing */
export const QUESTION: Script = script(`
${GONE}
local position = redis.call('HGET', session, 'q:' .. ARGV[1])
local entry = position and redis.call('XRANGE', send, position, position)[1]
if entry then return {'ok', entry} end
return {'unknown'}`)

/** channel, id, reply, token → ok | unknown | missing */
export const ANSWER: Script = script(`
${GONE}
local id, token = ARGV[2], ARGV[4]
local position = redis.call('HGET', session, 'q:' .. id)
if not position then
  local fate = redis.call('HGET', ids, 'm:' .. id)
  if fate and string.find(fate .. ' ', ' ' .. token .. ' ', 1, true) then return {'ok'} end
  return {'unknown'}
end
local reply = redis.call('XADD', receive, '*', 'v', '1', 'msg_id', id, 'msg', ARGV[3])
redis.call('HSET', ids, 'm:' .. id, 'answered ' .. position .. ' ' .. reply .. ' ' .. token)
redis.call('HDEL', session, 'q:' .. id)
redis.call('XDEL', send, position)
redis.call('PUBLISH', ARGV[1], 'reply:' .. id)
return {'ok'}`)

/** id, taker → ok, reply | empty, milliseconds left | missing */
export const TAKE: Script = script(`
${GONE}
local fate = redis.call('HGET', ids, 'm:' .. ARGV[1])
local kind, position, reply, token, taker = string.match(fate or '', '^(%a+) (%S+) (%S+) (%S+) ?(%S*)$')
if kind == 'answered' or (kind == 'taken' and taker == ARGV[2]) then
  redis.call('HDEL', ids, 'm:' .. ARGV[1])
  redis.call('HSET', ids, 'm:' .. ARGV[1], table.concat({'taken', position, reply, token, ARGV[2]}, ' '))
  local entry = redis.call('XRANGE', receive, reply, reply)[1]
  return {'ok', entry and entry[2]}
end
return {'empty', redis.call('PTTL', send)}`)

/** id, taker → ok: a reply that was taken and arrived needs not be kept. */
export const TOOK: Script = script(`
local fate = there == 4 and redis.call('HGET', ids, 'm:' .. ARGV[1])
local kind, position, reply, token, taker = string.match(fate or '', '^(%a+) (%S+) (%S+) (%S+) ?(%S*)$')
if kind == 'taken' and taker == ARGV[2] then
  redis.call('XDEL', receive, reply)
  redis.call('HSET', ids, 'm:' .. ARGV[1], 'done ' .. token)
end
return {'ok'}`)

/** id, token → ok | unknown | missing */
export const RETRACT: Script = script(`
${GONE}
local position = redis.call('HGET', session, 'q:' .. ARGV[1])
if not position then
  if redis.call('HGET', ids, 'm:' .. ARGV[1]) == 'done ' .. ARGV[2] then return {'ok'} end
  return {'unknown'}
end
redis.call('XDEL', send, position)
redis.call('HDEL', session, 'q:' .. ARGV[1])
redis.call('HSET', ids, 'm:' .. ARGV[1], 'done ' .. ARGV[2])
return {'ok'}`)
