import { describe, expect, it, vi } from 'vitest'
import type { OutboxRow } from '../../ports/outbox.ts'
import { FEED_ROWS, Feed } from './feed.ts'

const never = new AbortController().signal

function row(number: number): OutboxRow {
  return {
    position: String(number),
    tenantId: 't',
    threadId: 'x',
    subject: 'request',
    id: `r${number}`,
    what: 'opened',
    version: 1,
    at: 0,
  }
}

function rows(from: number, count: number): OutboxRow[] {
  return Array.from({ length: count }, (_, index) => row(from + index))
}

describe('a feed', () => {
  it('gives every stream all rows from its own number on, in batches', () => {
    const feed = new Feed('0')
    feed.add(rows(1, 150), '150')
    const taken = feed.take(0)
    expect(taken).toMatchObject({ kind: 'items', next: 100, end: '100' })
    expect(feed.take(100)).toMatchObject({ kind: 'items', next: 150, end: '150' })
    expect(feed.take(150)).toEqual({ kind: 'items', items: [], next: 150, end: '150' })
  })

  it('keeps a bounded number of rows; a stream that is further behind is late', () => {
    const feed = new Feed('0')
    feed.add(rows(1, FEED_ROWS), '1')
    expect(feed.take(0).kind).toBe('items')
    feed.add(rows(FEED_ROWS + 1, 1), '2')
    expect(feed.take(0).kind).toBe('late')
    expect(feed.take(1).kind).toBe('items')
  })

  it('knows where a kept position is, and the end also if its last rows were of other tenants', () => {
    const feed = new Feed('0')
    expect(feed.numberAfter('0')).toBe(0)
    feed.add(rows(1, 3), '3')
    feed.add([], '7')
    expect([feed.numberAfter('2'), feed.numberAfter('7'), feed.numberAfter('5')]).toEqual([2, 3, undefined])
  })

  it('resets every stream once', () => {
    const feed = new Feed('0')
    feed.add(rows(1, 3), '3')
    feed.reset('9')
    expect(feed.take(0).kind).toBe('reset')
    expect(feed.take(3).kind).toBe('reset')
    expect(feed.take(feed.next)).toMatchObject({ kind: 'items', items: [] })
    expect(feed.end).toBe('9')
  })

  it('wakes who waits, for rows and for a reset, and leaves no listener behind', async () => {
    const feed = new Feed('0')
    const waits = [feed.wait(0, 60_000, never), feed.wait(0, 60_000, never)]
    feed.add(rows(1, 1), '1')
    await Promise.all(waits)
    const next = feed.wait(1, 60_000, never)
    feed.reset('2')
    await next
    await feed.wait(1, 60_000, never)
    await feed.wait(feed.next, 5, never)
    const stop = new AbortController()
    const stopped = feed.wait(feed.next, 60_000, stop.signal)
    stop.abort()
    await stopped
    await feed.wait(feed.next, 60_000, stop.signal)
  })

  it('waits no longer for a time that is over, without a negative delay, of which Node warns', async () => {
    const feed = new Feed('0')
    const delays = vi.spyOn(globalThis, 'setTimeout')
    await feed.wait(feed.next, -0.001, never)
    expect(delays.mock.calls.map(([, ms]) => ms)).toEqual([0])
  })

  it('makes what a row needs once, and again after a failure', async () => {
    const feed = new Feed('0')
    feed.add(rows(1, 1), '1')
    const taken = feed.take(0)
    const item = taken.kind === 'items' ? taken.items[0]! : undefined
    let made = 0
    const make = async (): Promise<number> => {
      made += 1
      if (made === 1) throw new Error('away')
      return made
    }
    await expect(item!.shared('x', make)).rejects.toThrow('away')
    expect(await Promise.all([item!.shared('x', make), item!.shared('x', make)])).toEqual([2, 2])
  })
})
