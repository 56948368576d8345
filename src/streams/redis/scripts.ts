import { type Script, toScript } from './script.ts'

/**
 * Every change of a session is one script over all of its keys:
 *
 *   session  hash: owner, token (of its holder), at (when it expires); `q:<id>` → position and, if it has reviewers, `r:<id>` → their names (JSON)
 *              for each open question; `n:<name>` → how many open questions a reviewer has; notes → how many notifications are kept, scan →
 *              how far the oldest was looked for, gap → position of the last that was dropped
 *   ids      hash: `m:<id>` → what became of a message that is no open question (and one field of no meaning, so that it exists)
 *              note <position> · answered <position> <reply> <token> · taken <position> <reply> <token> <taker> · done <token>
 *   send     stream of messages; receive: stream of replies
 *
 * Two channels announce changes: one to readers of messages, the other to waiters for replies. So `PUBLISH` returns how many wait for a reply.
 *
 * R1  A session exists if all four keys do. They expire in the same instant, and within a script no time passes.
 * R2  A script that is run again with the same token or message id changes nothing and returns the same. So after a broken connection
 *     the caller runs it again and never guesses.
 * R3  The first write of a script is a command that Redis refuses when it is out of memory, so that a refused script leaves nothing behind.
 *     The exceptions are scripts that extend a session or remove data: they begin with a command that is never refused for that.
 * R4  The cost of a script does not grow with the messages of a session, except `pending`, whose cost grows with what it returns.
 *
 * The list of a reader's sessions is a separate key in another slot. It is written after the session, and again whenever the session is extended.
 * Every entry of it is checked against the session itself.
 */
function script(body: string): Script {
  return toScript(`local session, ids, send, receive = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local there = redis.call('EXISTS', session, ids, send, receive)
${body.trim()}`)
}

const GONE = `if there < 4 then return {'missing'} end`

const EXPIRE = `local time = redis.call('TIME')
local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + milliseconds)
local function expire()
  for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, at) end
end`

/** A function that appends a notification and drops the oldest beyond the limit. The search for the oldest starts where the last one was found. */
const NOTE = `local function note(id, content, meta, most)
  local position = redis.call('XADD', send, '*', 'v', '1', 'msg_id', id, 'msg_type', 'Notification', 'content', content, 'meta', meta)
  redis.call('HSET', ids, 'm:' .. id, 'note ' .. position)
  local kept = redis.call('HINCRBY', session, 'notes', 1)
  while kept > most do
    local scan = redis.call('HGET', session, 'scan')
    local found = redis.call('XRANGE', send, scan and '(' .. scan or '-', '+', 'COUNT', 16)
    if #found == 0 then return position end
    for _, entry in ipairs(found) do
      if kept <= most then break end
      scan = entry[1]
      local old = entry[2][3] == 'msg_id' and entry[2][4]
      if old and redis.call('HGET', ids, 'm:' .. old) == 'note ' .. scan then
        redis.call('XDEL', send, scan)
        redis.call('HDEL', ids, 'm:' .. old)
        kept = redis.call('HINCRBY', session, 'notes', -1)
        redis.call('HSET', session, 'gap', scan)
      end
    end
    redis.call('HSET', session, 'scan', scan)
  end
  return position
end`

/** A function that adjusts the open questions of each reviewer when a question is sent or settled. */
const COUNT = `local function count(names, by)
  for _, name in ipairs(cjson.decode(names)) do
    if redis.call('HINCRBY', session, 'n:' .. name, by) <= 0 then redis.call('HDEL', session, 'n:' .. name) end
  end
end
local function forget(id)
  redis.call('HDEL', session, 'q:' .. id)
  local names = redis.call('HGET', session, 'r:' .. id)
  if names then
    count(names, -1)
    redis.call('HDEL', session, 'r:' .. id)
  end
end`

/** owner, milliseconds, token, whether it is taken over → ok | exists */
export const OPEN: Script = script(`
local milliseconds = ARGV[2]
${EXPIRE}
if there == 4 then
  if redis.call('HGET', session, 'token') == ARGV[3] then return {'ok'} end
  if ARGV[4] ~= '1' or redis.call('HGET', session, 'owner') ~= ARGV[1] then return {'exists'} end
  redis.call('HSET', session, 'token', ARGV[3], 'at', at)
  expire()
  return {'ok'}
end
if there > 0 then redis.call('DEL', session, ids, send, receive) end
redis.call('HSET', session, 'owner', ARGV[1], 'token', ARGV[3], 'at', at)
redis.call('HSET', ids, 'v', '1')
for _, key in ipairs({send, receive}) do redis.call('XDEL', key, redis.call('XADD', key, '*', 'v', '1')) end
expire()
return {'ok'}`)

/** milliseconds, holder or nothing → ok, owner | missing | lost */
export const EXTEND: Script = script(`
${GONE}
if ARGV[2] ~= '' and redis.call('HGET', session, 'token') ~= ARGV[2] then return {'lost'} end
local milliseconds = ARGV[1]
${EXPIRE}
expire()
redis.call('HSET', session, 'at', at)
return {'ok', redis.call('HGET', session, 'owner')}`)

/** channel, replies' channel, holder or nothing → ok | missing | lost */
export const CLOSE: Script = script(`
if there == 4 and ARGV[3] ~= '' and redis.call('HGET', session, 'token') ~= ARGV[3] then return {'lost'} end
if there > 0 then redis.call('DEL', session, ids, send, receive) end
${GONE}
redis.call('PUBLISH', ARGV[1], 'end')
redis.call('PUBLISH', ARGV[2], 'end')
return {'ok'}`)

/**
 * whether the last position is wanted, id of a question and the owner it is for (or nothing), fields of names → ok, owner, when it expires, whether one
 * of them is a reviewer of something open, position, question or nothing | missing
 */
export const DESCRIBE: Script = script(`
${GONE}
local facts = redis.call('HMGET', session, 'owner', 'at')
local named = 0
for i = 4, #ARGV do if redis.call('HEXISTS', session, ARGV[i]) == 1 then named = 1 end end
local last = ''
if ARGV[1] == '1' then
  local info = redis.call('XINFO', 'STREAM', send)
  for i = 1, #info, 2 do if info[i] == 'last-generated-id' then last = info[i + 1] end end
end
local position = ARGV[2] ~= '' and facts[1] == ARGV[3] and redis.call('HGET', session, 'q:' .. ARGV[2])
local entry = position and redis.call('XRANGE', send, position, position)[1]
return {'ok', facts[1], facts[2], named, last, entry or ''}`)

/** channel, id, type, content, meta, reviewers (JSON) or nothing, how many notifications are kept → ok, position | used | missing */
export const SEND: Script = script(`
${GONE}
${NOTE}
${COUNT}
local id, kind = ARGV[2], ARGV[3]
local open = redis.call('HGET', session, 'q:' .. id)
if open then return {'ok', open} end
local fate = redis.call('HGET', ids, 'm:' .. id)
if fate then
  -- Of a settled question only a token is kept, which may look like a position.
  local kept, position = string.match(fate, '^(%a+) (%S+)')
  if kept == 'note' or kept == 'answered' then return {'ok', position} end
  return {'used'}
end
local position
if kind == 'Notification' then position = note(id, ARGV[4], ARGV[5], tonumber(ARGV[7]))
else
  position = redis.call('XADD', send, '*', 'v', '1', 'msg_id', id, 'msg_type', kind, 'content', ARGV[4], 'meta', ARGV[5])
  redis.call('HSET', session, 'q:' .. id, position)
  if ARGV[6] ~= '' then
    redis.call('HSET', session, 'r:' .. id, ARGV[6])
    count(ARGV[6], 1)
  end
end
redis.call('PUBLISH', ARGV[1], 'message')
return {'ok', position}`)

/** start, limit, owner or nothing → ok, milliseconds left, messages, owner and last dropped position if there are any | missing */
export const READ: Script = script(`
${GONE}
local facts = redis.call('HMGET', session, 'owner', 'gap')
if ARGV[3] ~= '' and facts[1] ~= ARGV[3] then return {'missing'} end
local found = redis.call('XRANGE', send, ARGV[1], '+', 'COUNT', ARGV[2])
return {'ok', redis.call('PTTL', send), found, facts[1], facts[2] or ''}`)

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

/** The notification that settles a question: its id (or nothing), content and meta, and how many notifications are kept. */
const NOTICE = (first: number) => `if ARGV[${first}] ~= '' then
  note(ARGV[${first}], ARGV[${first + 1}], ARGV[${first + 2}], tonumber(ARGV[${first + 3}]))
  redis.call('PUBLISH', ARGV[1], 'message')
end`

/** channel, id, reply, token, replies' channel, author or nothing, groups (JSON) or nothing, notice (4) → ok, how many hear it | unknown | missing */
export const ANSWER: Script = script(`
${GONE}
${NOTE}
${COUNT}
local id, token = ARGV[2], ARGV[4]
local position = redis.call('HGET', session, 'q:' .. id)
if not position then
  local fate = redis.call('HGET', ids, 'm:' .. id)
  if fate and string.find(fate .. ' ', ' ' .. token .. ' ', 1, true) then return {'ok'} end
  return {'unknown'}
end
local reply = redis.call('XADD', receive, '*', 'v', '1', 'msg_id', id, 'msg', ARGV[3], 'by', ARGV[6], 'groups', ARGV[7])
redis.call('HSET', ids, 'm:' .. id, 'answered ' .. position .. ' ' .. reply .. ' ' .. token)
forget(id)
redis.call('XDEL', send, position)
${NOTICE(8)}
return {'ok', redis.call('PUBLISH', ARGV[5], 'reply:' .. id)}`)

/**
 * channel, id, reply, token, replies' channel, owner, groups (JSON) or nothing, id of the notice, how many notifications are kept → ok, how many hear it |
 * look: nothing was done. Its notice is the one of `retraction`. What it does not know is left to its caller: reviewers and schemas are in `meta`, and
 * much content would hold up everybody else.
 */
export const ANSWER_OWN: Script = script(`
if there < 4 then return {'look'} end
${NOTE}
local id, token = ARGV[2], ARGV[4]
local facts = redis.call('HMGET', session, 'owner', 'q:' .. id)
local position = facts[2]
if facts[1] ~= ARGV[6] then return {'look'} end
if not position then
  local fate = redis.call('HGET', ids, 'm:' .. id)
  if fate and string.find(fate .. ' ', ' ' .. token .. ' ', 1, true) then return {'ok'} end
  return {'look'}
end
local entry = redis.call('XRANGE', send, position, position)[1]
local fields = {}
if entry then for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end end
if fields.v ~= '1' or fields.msg_type ~= 'HIL_interrupt_request' or fields.meta ~= '' or #fields.content > 4096 then return {'look'} end
local known, content = pcall(cjson.decode, fields.content)
local body = known and type(content) == 'table' and content.source == 'agent_tool_call' and content.body
if type(body) ~= 'table' or body.detail == nil or type(body.type) ~= 'string' or body.type == 'RemoteToolProgress' then return {'look'} end
if type(body.tool_name) ~= 'string' or type(body.tool_exec_uuid) ~= 'string' then return {'look'} end
local reply = redis.call('XADD', receive, '*', 'v', '1', 'msg_id', id, 'msg', ARGV[3], 'by', ARGV[6], 'groups', ARGV[7])
redis.call('HSET', ids, 'm:' .. id, 'answered ' .. position .. ' ' .. reply .. ' ' .. token)
redis.call('HDEL', session, 'q:' .. id)
redis.call('XDEL', send, position)
local about = '"tool_name":' .. cjson.encode(body.tool_name) .. ',"type":"Retracted","tool_exec_uuid":' .. cjson.encode(body.tool_exec_uuid)
local detail = '{"msg_id":' .. cjson.encode(id) .. ',"reason":"answered"}'
note(ARGV[8], '{"source":"agent_tool_call","body":{' .. about .. ',"detail":' .. detail .. '}}', '', tonumber(ARGV[9]))
redis.call('PUBLISH', ARGV[1], 'message')
return {'ok', redis.call('PUBLISH', ARGV[5], 'reply:' .. id)}`)

/** id, taker, whether to say that it is over → ok, reply | empty, milliseconds left | unknown | missing */
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
if ARGV[3] == '1' and redis.call('HEXISTS', session, 'q:' .. ARGV[1]) == 0 then return {'unknown'} end
return {'empty', redis.call('PTTL', send)}`)

/** id, taker → ok: a reply that was taken and arrived need not be kept. */
export const TOOK: Script = script(`
local fate = there == 4 and redis.call('HGET', ids, 'm:' .. ARGV[1])
local kind, position, reply, token, taker = string.match(fate or '', '^(%a+) (%S+) (%S+) (%S+) ?(%S*)$')
if kind == 'taken' and taker == ARGV[2] then
  redis.call('XDEL', receive, reply)
  redis.call('HSET', ids, 'm:' .. ARGV[1], 'done ' .. token)
end
return {'ok'}`)

/** channel, id, token, replies' channel, notice (4) → ok | unknown | missing */
export const RETRACT: Script = script(`
${GONE}
${NOTE}
${COUNT}
local id, token = ARGV[2], ARGV[3]
local position = redis.call('HGET', session, 'q:' .. id)
if not position then
  if redis.call('HGET', ids, 'm:' .. id) == 'done ' .. token then return {'ok'} end
  return {'unknown'}
end
redis.call('XDEL', send, position)
forget(id)
redis.call('HSET', ids, 'm:' .. id, 'done ' .. token)
${NOTICE(5)}
redis.call('PUBLISH', ARGV[4], 'reply:' .. id)
return {'ok'}`)
