import { expect, it } from 'vitest'
import { openingsIn, sightOf } from '../../../src/gateway/v1/views/sight.ts'
import type { ThreadEntry } from '../../../src/gateway/v1/views/thread-entries.ts'
import type { EntryOf } from '../../../src/protocol/entries/entry.ts'
import type { CallKey } from '../../../src/protocol/ids.ts'

const rex = { sub: 'rex', tenant: 'default', roles: ['reviewer'], groups: [] }

function opened(seq: number, call: string, reviewers?: string[]): ThreadEntry {
  const entry = { v: 1, type: 'request.opened', id: `r${seq}`, call, ...(reviewers ? { reviewers } : {}) }
  return { seq, at: seq, entry: entry as unknown as EntryOf<'request.opened'> }
}

const key = (text: string) => text as CallKey
const answered = (frame: string, turn: number) => ({ frame, turn }) as EntryOf<'model.answered'>

it('all that happened inside of a call for others is hidden, except a call that is for the reader', () => {
  const sight = sightOf(rex, openingsIn([opened(1, 'run/2.0', ['user:bob']), opened(2, 'run/2.0/1.1')]))
  expect(sight.call(key('run/1.0'))).toBe(true)
  expect(sight.call(key('run/2.1'))).toBe(true)
  expect(sight.call(key('run/2.0'))).toBe(false)
  expect(sight.call(key('run/2.0/1.0'))).toBe(false)
  expect(sight.call(key('run/2.0/1.0/3.0'))).toBe(false)
  expect(sight.call(key('run/2.0/1.1'))).toBe(true)
})

it('a call that was asked about twice is hidden if one of the requests is for others', () => {
  const sight = sightOf(rex, openingsIn([opened(1, 'run/1.0'), opened(2, 'run/1.0', ['user:bob'])]))
  expect(sight.call(key('run/1.0'))).toBe(false)
})

it('words of a model are hidden from the turn of a hidden call on, in its run and not in others', () => {
  const sight = sightOf(rex, openingsIn([opened(1, 'run/2.0', ['user:bob'])]))
  expect(sight.words(answered('run', 1))).toBe(true)
  expect(sight.words(answered('run', 2))).toBe(false)
  expect(sight.words(answered('run', 3))).toBe(false)
  expect(sight.words(answered('run/1.0', 1))).toBe(false)
  expect(sight.words(answered('other', 9))).toBe(true)
})

it('whoever sees all of the tenant reads everything', () => {
  const sight = sightOf({ ...rex, roles: ['auditor'] }, openingsIn([opened(1, 'run/2.0', ['user:bob'])]))
  expect([sight.call(key('run/2.0')), sight.words(answered('run', 2))]).toEqual([true, true])
})
