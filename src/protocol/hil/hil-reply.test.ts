import { describe, expect, it } from 'vitest'
import { AnswerInvalid, DecisionInvalid } from '../errors/errors.ts'
import { answerOfReply, requestOnStream } from './hil-reply.ts'

const asked = (kind: 'approve' | 'confirm' | 'ask', keys: string[] = []) => ({
  id: 'r',
  questionId: 'q',
  kind,
  version: 1,
  questions: keys.map((key) => ({ key, prompt: key })),
})

describe('a reply on a stream', () => {
  it.each([
    ['approve', { type: 'approve' }],
    [' Yes ', { type: 'approve' }],
    ['reject', { type: 'reject' }],
    ['no', { type: 'reject' }],
    [{ decision: 'approve' }, { type: 'approve' }],
    [{ decision: { type: 'edit', args: { cents: 1 } } }, { type: 'edit', args: { cents: 1 } }],
    [
      { type: 'reject', message: 'never' },
      { type: 'reject', message: 'never' },
    ],
  ])('decides an approve: %j', (reply, answer) => {
    expect(answerOfReply(asked('approve'), reply)).toEqual(answer)
  })

  it.each([
    ['yes', true],
    ['reject', false],
    [{ answer: true }, true],
    [{ answer: false }, false],
    [{ answer: 'no' }, false],
  ])('answers a confirm: %j', (reply, answer) => {
    expect(answerOfReply(asked('confirm'), reply)).toBe(answer)
  })

  it('answers a form, and by a plain text a form with one question', () => {
    expect(answerOfReply(asked('ask', ['a', 'b']), { answer: { a: '1', b: '2' } })).toEqual({ a: '1', b: '2' })
    expect(answerOfReply(asked('ask', ['a']), 'blue')).toEqual({ a: 'blue' })
    expect(answerOfReply(asked('ask', ['a']), '')).toEqual({ a: '' })
  })

  it.each([
    ['approve', 'perhaps'],
    ['approve', ''],
    ['confirm', 'perhaps'],
    ['confirm', {}],
    ['confirm', { answer: 1 }],
    ['ask', 'blue'],
    ['ask', {}],
  ] as const)('that does not answer is refused: %s %j', (kind, reply) => {
    expect(() => answerOfReply(asked(kind, ['a', 'b']), reply)).toThrow(AnswerInvalid)
  })
})

describe('a grant in a reply on a stream', () => {
  it.each([true, false, {}, { uses: 2 }, { scope: 'run' }, { scope: 'thread' }])(
    'may cover its thread: %j',
    (always) => {
      const decision = { type: 'approve', always }
      expect(answerOfReply(asked('approve'), { decision })).toEqual(decision)
    },
  )

  it.each(['agent', 'tenant', null, 7])('does not reach other threads: scope %j', (scope) => {
    const decision = { type: 'approve', always: { scope } }
    expect(() => answerOfReply(asked('approve'), { decision })).toThrow(DecisionInvalid)
    expect(() => answerOfReply(asked('approve'), decision)).toThrow(DecisionInvalid)
  })
})

describe('a question on a stream', () => {
  const content = (type: string, detail: never) => ({
    source: 'agent_tool_call' as const,
    body: { tool_name: 't', type, tool_exec_uuid: 'r', detail },
  })

  it('is known as a request by its form', () => {
    const detail = { questionId: 'q', version: 2, kind: 'confirm' } as never
    expect(requestOnStream(content('HoldpointConfirm', detail))).toEqual({
      id: 'r',
      questionId: 'q',
      kind: 'confirm',
      version: 2,
      shown: {},
    })
  })

  it('of another form, or without the request, is not', () => {
    expect(requestOnStream(content('ChoiceForm', { questionId: 'q', version: 1 } as never))).toBeUndefined()
    expect(requestOnStream(content('HoldpointAsk', 'text' as never))).toBeUndefined()
  })
})
