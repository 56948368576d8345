import { describe, expect, test } from 'vitest'
import { changesOf } from '../../inbox/src/decisions/changes.ts'
import { entryFactsOf } from '../../inbox/src/decisions/entry-facts.ts'
import { beginOf, isSince, matches, NO_FILTER, toQuery } from '../../inbox/src/decisions/filter.ts'
import { UnaskedCalls } from '../../inbox/src/decisions/unasked.ts'
import { slotsOf, ticksFor } from '../../inbox/src/figures/over-time.ts'
import type { RequestItem } from '../../src/protocol/api/requests.ts'
import { refund } from '../react/fake-inbox.ts'

const at = '2026-03-12T10:00:00.000Z'
const by = { kind: 'person' as const, id: 'bob' }
const edited = (args: Record<string, never> | Record<string, unknown>): RequestItem =>
  refund('a', {
    status: 'decided',
    decided: { decision: { type: 'edit', args: args as RequestItem['args'] & object }, by, at, effectiveAt: at },
  })

describe('an opened entry', () => {
  test('says what was changed, added and left out', () => {
    expect(changesOf(edited({ amount: 80, note: 'half' }))).toEqual([
      { path: 'amount', from: 120, to: 80 },
      { path: 'to', from: 'ada@example.com', to: undefined },
      { path: 'note', from: undefined, to: 'half' },
    ])
    expect(changesOf(refund('a'))).toEqual([])
  })

  test('reads its seals and what ran from the journal, for its own call only', () => {
    const line = (seq: number, entry: unknown) => ({
      seq,
      at: `2026-03-12T10:00:0${seq}.000Z`,
      hash: `h${seq}`,
      entry: entry as never,
    })
    const entries = [
      line(1, { type: 'request.opened', id: 'a', call: 'c1' }),
      line(2, { type: 'call.started', call: 'c0' }),
      line(3, { type: 'request.decided', id: 'a', call: 'c1', shown: 's' }),
      line(4, { type: 'call.started', call: 'c1' }),
      line(5, { type: 'call.finished', call: 'c0', result: { isError: true } }),
      line(6, { type: 'call.finished', call: 'c1', result: {} }),
      line(7, null),
    ]
    expect(entryFactsOf(entries, 'a')).toEqual({
      sealed: { seq: 3, before: 'h2', after: 'h3' },
      shown: 's',
      started: entries[3]!.at,
      finished: { at: entries[5]!.at, failed: false },
    })
    expect(entryFactsOf(entries, 'other')).toEqual({})
  })
})

describe('the filters of the record', () => {
  test('send what the server knows, and match the rest here', () => {
    const now = Date.parse('2026-03-12T10:30:00Z')
    expect(toQuery({ ...NO_FILTER, text: ' refund ', outcome: 'edit' })).toEqual({
      status: 'decided',
      order: 'changed',
      text: 'refund',
    })
    expect(toQuery({ ...NO_FILTER, outcome: 'expired' }).status).toBe('expired')
    expect(beginOf('day', now)).toBeLessThanOrEqual(now)
    expect([Date.parse(at), Date.parse(at) + 1].map((begin) => isSince(edited({}), begin))).toEqual([true, false])
    expect(matches(edited({}), { ...NO_FILTER, outcome: 'edit', person: 'bob' })).toBe(true)
    expect(matches(edited({}), { ...NO_FILTER, outcome: 'approve' })).toBe(false)
    expect(matches(edited({}), { ...NO_FILTER, person: 'lena' })).toBe(false)
  })
})

test('calls that nobody was asked about are found with their reason, and no others', () => {
  const calls = new UnaskedCalls()
  const add = (seq: number, entry: unknown) =>
    calls.add({ thread: 't', seq, at: `2026-03-12T10:00:0${seq}Z`, hash: `h${seq}`, entry: entry as never })
  add(1, { type: 'tool.defined', definition: 'd', name: 'sql' })
  add(2, { type: 'call.judged', call: 'asked', definition: 'd', verdict: { kind: 'review' } })
  add(3, { type: 'request.opened', id: 'r', call: 'asked' })
  add(4, { type: 'call.released', call: 'asked', by: { kind: 'person', id: 'bob' } })
  add(5, { type: 'call.judged', call: 'granted', definition: 'd', verdict: { kind: 'review' } })
  add(6, { type: 'call.released', call: 'granted', by: { kind: 'grant', id: 'g1' } })
  add(7, {
    type: 'call.judged',
    call: 'free',
    definition: 'd',
    verdict: { kind: 'allow' },
    policies: [{ name: 'p' }, { name: 'trial', shadow: true }],
  })
  add(8, { type: 'call.judged', call: 'denied', definition: 'd', verdict: { kind: 'deny', reason: 'never' } })
  expect(calls.found.map(({ kind, tool, why }) => [kind, tool, why])).toEqual([
    ['deny', 'sql', 'never'],
    ['policy', 'sql', 'p'],
    ['grant', 'sql', 'g1'],
  ])
})

describe('figures over time', () => {
  test('fall into days, and days without anything are there', () => {
    const now = Date.parse('2026-03-12T10:30:00Z')
    const byHour = [
      { at: '2026-03-12T10:00:00Z', opened: 2, decided: 1, expired: 0 },
      { at: '2026-03-10T10:00:00Z', opened: 3, decided: 0, expired: 1 },
      { at: '2025-01-01T00:00:00Z', opened: 9, decided: 9, expired: 9 },
    ]
    const slots = slotsOf({ days: 7, byHour }, now)
    expect(slots).toHaveLength(7)
    expect(slots.reduce((sum, { opened }) => sum + opened, 0)).toBe(5)
    expect(slots.at(-1)).toMatchObject({ opened: 2, decided: 1 })
    expect(slotsOf({ days: 1, byHour }, now)).toHaveLength(24)
  })

  test('an axis has round numbers, however large or small', () => {
    expect(ticksFor(1)).toEqual([1])
    expect(ticksFor(102)).toEqual([50, 100])
    expect(ticksFor(0)).toEqual([1])
    for (const most of [3, 7, 12, 99, 1001, 54321]) expect(ticksFor(most).length).toBeGreaterThan(0)
  })
})
