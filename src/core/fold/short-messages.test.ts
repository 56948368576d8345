import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../protocol/message.ts'
import { readShort, ShortWriter } from './short-messages.ts'

function written(messages: readonly Message[]): string {
  const writer = new ShortWriter()
  return messages.map((message) => writer.write(message)).join(',')
}

function read(text: string): Message[] | undefined {
  const messages: Message[] = []
  return readShort(JSON.parse(`[${text}]`) as unknown[], messages) ? messages : undefined
}

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a', '[1,"x"]', '\u2028"\\\n'))
const content = fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text })))
const id = fc.constantFrom('c0', 'c1', 'c2')
const name = fc.constantFrom('pay', 'look')
const extra = fc.dictionary(fc.constantFrom('providerData', 'isError', 'data'), fc.jsonValue(), { maxKeys: 1 })
const args = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 })
const call = fc
  .tuple(fc.record({ id, name, args }), fc.option(extra, { freq: 5, nil: {} }))
  .map(([one, more]) => ({ ...one, ...more }))
const stopReason = fc.constantFrom('stop', 'toolCalls', 'error')
const message = fc
  .tuple(
    fc.oneof(
      fc.record({ role: fc.constantFrom('user', 'system'), content }),
      fc.record({ role: fc.constant('assistant'), content }),
      fc.record({ role: fc.constant('assistant'), content, stopReason }),
      fc.record({ role: fc.constant('assistant'), content, stopReason, toolCalls: fc.array(call, { maxLength: 3 }) }),
      fc.record({ role: fc.constant('assistant'), toolCalls: fc.array(call), stopReason, content }),
      fc.record({ role: fc.constant('tool'), toolCallId: id, toolName: name, content }),
    ),
    fc.option(extra, { freq: 5, nil: {} }),
  )
  .map(([one, more]) => ({ ...one, ...more }) as unknown as Message)

describe('messages in their short form', () => {
  it('are read back as they were, to the order of their members', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        // As entries keep them: parsed, so that no member has another prototype or is undefined.
        const stored = JSON.parse(JSON.stringify(messages)) as Message[]
        expect(JSON.stringify(read(written(stored)))).toBe(JSON.stringify(stored))
      }),
      { numRuns: 500 },
    )
  })

  it('leave out what most messages have', () => {
    const turn: Message[] = [
      { role: 'user', content: 'Pay twice.' },
      {
        role: 'assistant',
        content: '',
        stopReason: 'toolCalls',
        toolCalls: [
          { id: 'a', name: 'pay', args: { n: 1 } },
          { id: 'b', name: 'pay', args: { n: 2 } },
        ],
      },
      { role: 'tool', toolCallId: 'a', toolName: 'pay', content: 'paid 1' },
      { role: 'tool', toolCallId: 'b', toolName: 'pay', content: 'paid 2' },
      { role: 'assistant', content: 'Done.', stopReason: 'stop' },
    ]
    expect(written(turn)).toBe(
      '1,"Pay twice.",3,"",2,"a","pay",{"n":1},"b","pay",{"n":2},4,"paid 1",4,"paid 2",2,"Done."',
    )
    expect(read(written(turn))).toEqual(turn)
  })

  it('are whole where something is said that the short form has no place for', () => {
    const called = (more: object): Message =>
      ({
        role: 'assistant',
        content: '',
        stopReason: 'toolCalls',
        toolCalls: [{ id: 'a', name: 'pay', args: {}, ...more }],
      }) as Message
    const result = { role: 'tool', toolCallId: 'a', toolName: 'pay', content: 'paid' } as const
    const odd: [Message[], short: number][] = [
      [[{ role: 'system', content: 's' }], 0],
      [[{ role: 'assistant', content: 'cut', stopReason: 'error' }], 0],
      [[{ role: 'assistant', content: '', stopReason: 'toolCalls', toolCalls: [] }], 0],
      [[called({ argsText: '{' })], 0],
      [[result], 0],
      [[called({}), { ...result, toolName: 'look' }], 1],
      [[called({}), { ...result, toolCallId: 'b' }], 1],
      [[called({}), result, result], 2],
      [[called({}), { ...result, isError: true }], 1],
    ]
    for (const [messages, short] of odd) {
      const kinds = messages.map((_, index) =>
        written(messages.slice(0, index + 1)).slice(written(messages.slice(0, index)).length),
      )
      expect(kinds.filter((kind) => !/^,?0,/.test(kind))).toHaveLength(short)
      expect(read(written(messages))).toEqual(messages)
    }
  })

  it.each([
    '5,"of no kind"',
    '"text"',
    '1',
    '1,"a",2',
    '4,"a result of nothing"',
    '3,"",1,"a","pay"',
    '3,"",0',
    '3,"",-1,"a","pay",{}',
    '3,"",null',
    '3,"",1e9,"a","pay",{}',
    '3,"",1.5,"a","pay",{},0,0,0',
    '3,"",1,"a","pay",{},4,"paid",4,"paid again"',
  ])('are refused if they are no such row: %s', (row) => {
    expect(read(row)).toBeUndefined()
  })
})
