import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/index.ts'
import { ask, diskStore, inboxOf } from '../support/gateway/inbox-scene.ts'

/** Names that look like a part of another one, a pattern, or the same in other letters. */
const ODD = [
  'finance',
  'FINANCE',
  'ﬁnance',
  'finance ',
  'f%',
  'fin_nce',
  '*',
  'a","group:finance',
  ',',
  '\\',
  '"',
  'group:finance',
]

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => diskStore()],
])('in %s', (_, open) => {
  it('a group sees and counts the requests that name it to the letter, and no others', async () => {
    const store = open()
    const { as } = inboxOf(store)
    const ids = new Map<string, string>()
    for (const [nth, name] of ODD.entries())
      ids.set(name, (await ask(store, `t${nth}`, { args: { nth }, lists: [[`group:${name}`]] }))[0]!)
    for (const name of ODD) {
      const member = as({ sub: 'una', groups: [name] })
      const { requests } = await member.list()
      expect([name, requests.map(({ id }) => id)]).toEqual([name, [ids.get(name)]])
      const { open: counted } = (await member.get<{ open: { count: number } }>('/v1/counts')).body
      expect([name, counted.count]).toEqual([name, 1])
      const { threads } = (await member.get<{ threads: object[] }>('/v1/threads')).body
      expect([name, threads.length]).toEqual([name, 1])
      // The name of a person is no group.
      expect((await as({ sub: `group:${name}` }).list()).requests).toEqual([])
      expect((await as({ sub: name }).list()).requests).toEqual([])
    }
  })
})
