import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pollRequest, respondRequest } from '../../protocol/hil/hil.ts'
import { usualPoll, usualReply } from './usual-bodies.ts'

const SESSION = '0b56b6a4-6f5a-4c62-9d6c-2f3ad1f9a001'
const sessions = fc.oneof(
  { weight: 5, arbitrary: fc.uuid() },
  fc.constantFrom(SESSION.toUpperCase(), `${SESSION}\n`, ` ${SESSION}`, SESSION.slice(1), '', 7, null),
)
const numbers = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(2 ** 53, 2 ** 53 - 1, -0, 1e300, '30', null, undefined, Number.NaN),
)
const positions = fc.oneof(
  fc.stringMatching(/^\d{1,21}(-\d{1,21})?$/),
  fc.constantFrom('0', '0-', '-1', '1-2-3', '18446744073709551615', '18446744073709551616', '\u0661', '1\n', 0, null),
)
const anything = fc.oneof(fc.jsonValue(), fc.anything(), fc.string({ unit: 'binary' }))
const few = { requiredKeys: ['session_task_id'] as ['session_task_id'] }

const polls = fc.oneof(
  fc.record({ session_task_id: sessions, timeout: numbers, redis_last_id: positions, more: anything }, few),
  anything,
)
const terms = { comment: anything, always: anything, undoSeconds: anything, more: anything }
const replies = fc.oneof(
  fc.record({ session_task_id: sessions, hil_msg_id: fc.oneof(fc.string(), anything), msg: anything, ...terms }, few),
  fc.record({ session_task_id: sessions, hil_msg_id: fc.string(), msg: fc.oneof(fc.string(), fc.object()) }),
  anything,
)

test('a poll that is accepted by hand is what its schema makes of it', () => {
  fc.assert(
    fc.property(polls, (body) => {
      const usual = usualPoll(body)
      if (usual) expect(pollRequest().parse(body)).toEqual(usual)
    }),
    { seed: 1, numRuns: 2000 },
  )
})

test('a reply that is accepted by hand is what its schema makes of it', () => {
  fc.assert(
    fc.property(replies, (body) => {
      const usual = usualReply(body)
      if (usual) expect(respondRequest().parse(body)).toEqual(usual)
    }),
    { seed: 1, numRuns: 2000 },
  )
})

test('bodies as clients send them are accepted by hand', () => {
  const poll = { session_task_id: SESSION, timeout: 30, redis_last_id: '1731900000000-0' }
  expect(usualPoll(poll)).toEqual(poll)
  expect(usualPoll({ session_task_id: SESSION })).toEqual({ ...poll, redis_last_id: '0' })
  const reply = { session_task_id: SESSION, hil_msg_id: 'x', msg: { choice: ['a'], note: null } }
  expect(usualReply(reply)).toEqual(reply)
  expect(usualReply({ ...reply, msg: '' })).toEqual({ ...reply, msg: '' })
})
