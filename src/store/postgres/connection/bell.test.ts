import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBell } from './bell.ts'
import type { Connections } from './connection.ts'
import type { Run } from './run.ts'

/** Connections that keep the messages of each notification. */
function recorded(): { connections: Connections; sent: unknown[][] } {
  const sent: unknown[][] = []
  const run = (async () => []) as unknown as Run
  run.kept = async (_, [, batch]) => {
    sent.push((batch as string[]).map((message) => JSON.parse(message)))
    return []
  }
  const connections: Partial<Connections> = {
    place: { schema: 'holdpoint', name: 'test' },
    use: (work) => work(run),
  }
  return { connections: connections as Connections, sent }
}

const grown = (threadId: string, hasRows = false) => ({ tenant: 'a', threadId, version: 1, hasRows })
const settle = () => vi.advanceTimersByTimeAsync(0)

describe('notifications of other processes', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('are gathered for a few milliseconds', async () => {
    const { connections, sent } = recorded()
    const bell = createBell(connections)
    bell.ring(grown('t1'))
    bell.ring(grown('t2'))
    await settle()
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(4)
    expect(sent).toEqual([
      [
        ['a', 't1', 1, 0],
        ['a', 't2', 1, 0],
      ],
    ])
  })

  it('go out at once if an append wrote rows of the outbox, with those that were gathered', async () => {
    const { connections, sent } = recorded()
    const bell = createBell(connections)
    bell.ring(grown('t1'))
    bell.ring(grown('t2', true))
    await settle()
    expect(sent).toEqual([
      [
        ['a', 't1', 1, 0],
        ['a', 't2', 1, 1],
      ],
    ])
  })

  it('follow each other at an interval, however urgent they are', async () => {
    const { connections, sent } = recorded()
    const bell = createBell(connections)
    bell.ring(grown('t1', true))
    await settle()
    bell.ring(grown('t2', true))
    await vi.advanceTimersByTimeAsync(3)
    bell.ring(grown('t3', true))
    expect(sent).toEqual([[['a', 't1', 1, 1]]])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent[1]).toEqual([
      ['a', 't2', 1, 1],
      ['a', 't3', 1, 1],
    ])
    await bell.quiet()
  })
})
