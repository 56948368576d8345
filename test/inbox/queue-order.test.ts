import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Arranged, arrange, NOTHING, neighbour, type Orderable } from '../../inbox/src/queue/order.ts'

const NOW = Date.parse('2026-03-12T10:00:00Z')
const row = (id: string, minutes?: number): Orderable => ({
  request: { id, ...(minutes === undefined ? {} : { expiresAt: new Date(NOW + minutes * 60_000).toISOString() }) },
})
const groupsOf = ({ lines }: Arranged) =>
  lines.map((line) => (line.kind === 'group' ? `${line.group} ${line.count}` : line.id))

describe('the queue', () => {
  it('puts the nearest deadline first, in groups, and what has none last, the oldest first', () => {
    const rows = [row('e'), row('d', 800), row('a', 5), row('c', 100), row('b', 29), row('f')]
    expect(groupsOf(arrange(rows, NOTHING, NOW))).toEqual([
      'soon 2',
      'a',
      'b',
      'today 1',
      'c',
      'later 3',
      'd',
      'e',
      'f',
    ])
  })

  it('never moves what is shown, however much time passes', () => {
    const rows = [row('a', 5), row('b', 40), row('c', 800)]
    const shown = arrange(rows, NOTHING, NOW)
    expect(arrange(rows, shown, NOW + 700 * 60_000)).toBe(shown)
  })

  it('closes up when rows leave it, without sorting the others again', () => {
    const shown = arrange([row('a', 5), row('b', 40), row('c', 50)], NOTHING, NOW)
    expect(groupsOf(arrange([row('c', 1), row('a', 5)], shown, NOW))).toEqual(['soon 1', 'a', 'today 1', 'c'])
  })

  it('sorts again when new requests are shown', () => {
    const shown = arrange([row('a', 10)], NOTHING, NOW)
    expect(arrange([row('b', 5), row('a', 10)], shown, NOW).ids).toEqual(['b', 'a'])
  })

  it('shows each request once, whatever comes and goes', () => {
    const list = fc.uniqueArray(
      fc.tuple(fc.nat(30), fc.option(fc.integer({ min: -10, max: 2000 }), { nil: undefined })),
      {
        selector: ([id]) => id,
      },
    )
    fc.assert(
      fc.property(fc.array(list, { maxLength: 5 }), (steps) => {
        let shown = NOTHING
        for (const step of steps) {
          shown = arrange(
            step.map(([id, minutes]) => row(`r${id}`, minutes)),
            shown,
            NOW,
          )
          expect([...shown.ids].sort()).toEqual(step.map(([id]) => `r${id}`).sort())
          for (const [id, at] of shown.at) expect(shown.lines[at]).toEqual({ kind: 'row', id })
        }
      }),
    )
  })

  it('goes to the next one that is open, and back if there is none', () => {
    const shown = arrange([row('a', 1), row('b', 2), row('c', 3)], NOTHING, NOW)
    const open = (id: string) => id !== 'b'
    expect(neighbour(shown, 'a', { step: 1, open })).toBe('c')
    expect(neighbour(shown, 'c', { step: 1, open })).toBeUndefined()
    expect(neighbour(shown, 'c', { step: 1, open, turn: true })).toBe('a')
    expect(neighbour(shown, undefined, { step: 1, open })).toBe('a')
  })
})
