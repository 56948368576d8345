import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { soundHistory } from '../../src/core/views/history.ts'
import type { Message } from '../../src/index.ts'
import { assertSound, brief } from './history.ts'

const user = (content: string): Message => ({ role: 'user', content })
const result = (id: string): Message => ({ role: 'tool', toolCallId: id, toolName: 't', content: id })
function made(content: string, ...ids: string[]): Message {
  return {
    role: 'assistant',
    content,
    stopReason: 'toolCalls',
    toolCalls: ids.map((id) => ({ id, name: 't', args: {} })),
    providerData: { about: ids.join() },
  }
}

describe('a history that was cut', () => {
  it('is left as it is if it is whole', () => {
    const whole = [user('a'), made('', 'x', 'y'), result('x'), result('y'), user('b'), made('', 'x'), result('x')]
    expect(soundHistory(whole)).toEqual(whole)
  })

  it('loses results without their call, and calls without a result', () => {
    expect(brief(soundHistory([result('x'), user('a')]))).toEqual(['user: a'])
    expect(brief(soundHistory([made('', 'x'), user('a')]))).toEqual(['user: a'])
    expect(brief(soundHistory([made('Wait.', 'x')]))).toEqual(['Wait.'])
    expect(brief(soundHistory([made('', 'x'), user('a'), result('x')]))).toEqual(['user: a'])
    expect(brief(soundHistory([made('', 'x'), result('x'), result('x'), result('z')]))).toEqual(['+x', '=x'])
    expect(brief(soundHistory([made('', 'x', 'y'), result('y')]))).toEqual(['+y', '=y'])
    expect(brief(soundHistory([made('', 'x', 'y'), result('y'), result('x')]))).toEqual(['+x+y', '=x', '=y'])
  })

  it('no longer says of a message what the provider said of all its calls', () => {
    expect(soundHistory([made('', 'x', 'y'), result('y')])[0]).not.toHaveProperty('providerData')
    expect(soundHistory([made('Wait.', 'x')])[0]).toEqual({ role: 'assistant', content: 'Wait.', stopReason: 'stop' })
  })

  it('is sound wherever it is cut, and mending it again changes nothing', () => {
    const id = fc.constantFrom('x', 'y', 'z')
    const message = fc.oneof(
      fc.string().map(user),
      id.map(result),
      fc.tuple(fc.constantFrom('', 'words'), fc.uniqueArray(id)).map(([content, ids]) => made(content, ...ids)),
    )
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const sound = soundHistory(messages)
        assertSound(sound)
        expect(soundHistory(sound)).toEqual(sound)
        expect(sound.filter(({ role }) => role === 'user')).toEqual(messages.filter(({ role }) => role === 'user'))
      }),
    )
  })
})
