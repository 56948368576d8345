import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hilMessage, hilReply } from '../../protocol/hil/hil.ts'
import { jsonProblem } from '../../protocol/json/json.ts'
import { isUsualMessage, isUsualReply } from './usual-message.ts'

const anything = fc.oneof(fc.jsonValue(), fc.anything(), fc.string({ unit: 'binary' }))
const texts = fc.oneof({ weight: 4, arbitrary: fc.string() }, anything)
const bodies = fc.record(
  { tool_name: texts, type: texts, tool_exec_uuid: texts, detail: anything, more: anything },
  { requiredKeys: ['tool_name', 'type', 'tool_exec_uuid'] },
)
const sources = fc.constantFrom('agent_tool_call', 'agent_tool_call', 'agent', undefined)
const contents = fc.oneof(fc.record({ source: sources, body: bodies }), fc.dictionary(fc.string(), anything), anything)
const messages = fc.oneof(
  fc.record(
    {
      msg_id: texts,
      msg_type: fc.constantFrom('HIL_interrupt_request', 'Notification', 'other', undefined),
      content: contents,
      reply_schema: anything,
      meta: anything,
    },
    { requiredKeys: ['msg_id', 'msg_type', 'content'] },
  ),
  anything,
)
/** An object in an object, so many deep. */
const nested = (depth: number): object => (depth === 0 ? {} : { in: nested(depth - 1) })
const deep = fc.integer({ min: 195, max: 205 }).map(nested)

test('a message that is accepted by hand is accepted by its schema and is plain JSON', () => {
  fc.assert(
    fc.property(messages, (message) => {
      if (!isUsualMessage(message)) return
      expect(jsonProblem(message)).toBeUndefined()
      expect(hilMessage().safeParse(message).success).toBe(true)
    }),
    { seed: 1, numRuns: 3000 },
  )
})

test('a reply is accepted by hand exactly if its schema accepts it and it is plain JSON', () => {
  fc.assert(
    fc.property(fc.oneof(anything, deep), (reply) => {
      const sound = jsonProblem(reply) === undefined && hilReply().safeParse(reply).success
      expect(isUsualReply(reply)).toBe(sound)
    }),
    { seed: 1, numRuns: 3000 },
  )
})

test('messages as applications send them are accepted by hand', () => {
  const body = { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: 'x', detail: { choices: ['a'] } }
  const content = { source: 'agent_tool_call', body }
  expect(isUsualMessage({ msg_id: 'q', msg_type: 'HIL_interrupt_request', content })).toBe(true)
  expect(isUsualMessage({ msg_id: 'n', msg_type: 'Notification', content: {} })).toBe(true)
})
