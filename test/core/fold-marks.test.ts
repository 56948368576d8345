import { expect, test } from 'vitest'
import { apply } from '../../src/core/fold/fold.ts'
import { MOST_MARKS } from '../../src/core/fold/fold-marks.ts'
import { emptyState } from '../../src/core/state.ts'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { make } from './journal.ts'

function marksOf(entries: readonly Entry[]) {
  const state = emptyState('default', 't')
  for (const entry of entries) apply(state, entry, 1_000)
  return state.marks
}

const opened = (run: string): Entry => make.opened({}, { run })
const settled = (run: string): Entry => ({ v: 1, type: 'run.settled', run, status: 'completed' })
const added = (content: string, more: object = {}): Entry => ({
  v: 1,
  type: 'input.added',
  run: 'a',
  input: [{ role: 'user', content }],
  ...more,
})
const changed = (agent: string): Entry => ({ v: 1, type: 'agent.changed', frame: 'a', agent: { id: agent } })

test('a run is marked where it begins, where somebody speaks to its root, and where another agent takes over', () => {
  const silent: Entry = { ...added(''), input: [{ role: 'system', content: 'note' }] } as Entry
  const entries = [
    opened('a'),
    added('more'),
    silent,
    added(''),
    changed('billing'),
    added('and more'),
    settled('a'),
    opened('b'),
  ]
  expect(marksOf(entries)).toEqual([
    { id: 'a', opened: 1, agent: 'agent', said: [2, 6], changes: [{ at: 5, frame: 'a', agent: 'billing' }] },
    { id: 'b', opened: 8, agent: 'agent', said: [], changes: [] },
  ])
})

test('marks do not grow with the thread: the newest are kept', () => {
  const runs = Array.from({ length: 20 }, (_, n) => [opened(`r${n}`), settled(`r${n}`)]).flat()
  expect(marksOf(runs).map(({ id }) => id)).toEqual(Array.from({ length: MOST_MARKS.runs }, (_, n) => `r${12 + n}`))
  const words = Array.from({ length: 40 }, (_, n) => [added(`${n}`), changed(`agent ${n}`)]).flat()
  const [mark] = marksOf([opened('a'), ...words])
  expect(mark?.said).toHaveLength(MOST_MARKS.places)
  expect(mark?.said.at(-1)).toBe(80)
  expect(mark?.changes).toHaveLength(MOST_MARKS.places)
  expect(mark?.changes.at(-1)).toMatchObject({ at: 81, agent: 'agent 39' })
})
