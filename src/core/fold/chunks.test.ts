import { describe, expect, it } from 'vitest'
import type { Message } from '../../protocol/message.ts'
import { Transcript } from '../transcript.ts'
import { cutChunks, joinChunks, NO_CHUNKS } from './chunks.ts'

const said = (content: string): Message => ({ role: 'user', content })

describe('chunks', () => {
  it('go on where the ones before end, and give all messages back', () => {
    const messages = new Transcript([said('a'), said('b, "quoted"')])
    const first = cutChunks(messages, NO_CHUNKS)
    expect(cutChunks(messages, first.mark)).toEqual({ bodies: [], mark: first.mark })
    messages.push(said('c \u001e \u0000 😀'))
    const second = cutChunks(messages, first.mark)
    expect(second.mark).toMatchObject({ count: 2, messages: 3 })
    const bodies = [...first.bodies, ...second.bodies]
    expect(joinChunks(bodies, second.mark)).toEqual(messages.all)
    expect(joinChunks(bodies, first.mark)).toEqual(messages.slice(0, 2))
    expect(joinChunks([], NO_CHUNKS)).toEqual([])
  })

  it('are several if the messages are long', () => {
    const messages = new Transcript(Array.from({ length: 9 }, (_, n) => said(`${n}`.repeat(100_000))))
    const { bodies, mark } = cutChunks(messages, NO_CHUNKS)
    expect(bodies.map(({ length }) => Math.floor(length / 100_000))).toEqual([3, 3, 3])
    expect(joinChunks(bodies, mark)).toEqual(messages.all)
  })

  it('count only as those that the mark names', () => {
    const messages = new Transcript([said('a')])
    const first = cutChunks(messages, NO_CHUNKS)
    messages.push(said('b'))
    const { bodies, mark } = cutChunks(messages, first.mark)
    const [a, b] = [first.bodies[0]!, bodies[0]!]
    for (const others of [[], [a], [b], [b, a], [a, a], [a, b.replace('b', 'c')], [`${a},${b}`]]) {
      expect(joinChunks(others, mark)).toBeUndefined()
    }
    expect(joinChunks([a, b], { ...mark, messages: 3 })).toBeUndefined()
  })
})
