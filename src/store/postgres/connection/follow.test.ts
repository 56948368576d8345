import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Connections } from './connection.ts'
import type { PgLoneClient } from './driver.ts'
import { createFollower, type Follower } from './follow.ts'
import type { Run } from './run.ts'

/** A server without new rows that counts how often it is asked for some, and notifies. */
function quietServer() {
  const client = new EventEmitter() as EventEmitter & PgLoneClient
  const nothing = async () => undefined
  Object.assign(client, { connect: nothing, query: nothing, end: nothing, ref: nothing, unref: nothing })
  let looks = 0
  const run = (async () => []) as unknown as Run
  run.kept = async () => {
    looks++
    return [{ ready: 'f', held: 'f' }]
  }
  const connections: Partial<Connections> = {
    place: { schema: 'holdpoint', name: 'test' },
    use: (work) => work(run),
    lone: async () => client,
  }
  return {
    connections: connections as Connections,
    looks: () => looks,
    notify: (...payload: unknown[]) => client.emit('notification', { payload: JSON.stringify(payload) }),
  }
}

describe('who waits for the outbox', () => {
  let server: ReturnType<typeof quietServer>
  let follower: Follower
  let isWoken: boolean
  const settle = () => vi.advanceTimersByTimeAsync(0)

  beforeEach(async () => {
    vi.useFakeTimers()
    server = quietServer()
    follower = createFollower(server.connections)
    isWoken = false
    const { signal } = new AbortController()
    const waiting = follower.followOutbox({ after: '1.1', signal })
    waiting.then(
      () => (isWoken = true),
      () => undefined,
    )
    await settle()
  })
  afterEach(async () => {
    await follower.close(new Error('closed'))
    vi.useRealTimers()
  })

  it('does not look for rows when a thread grew without any', async () => {
    const before = server.looks()
    server.notify('a', 't', 2, 0)
    await settle()
    expect({ looks: server.looks() - before, isWoken }).toEqual({ looks: 0, isWoken: false })
  })

  it('is woken at once by a notification that tells of rows', async () => {
    const before = server.looks()
    server.notify('a', 't', 2, 1)
    await settle()
    expect({ looks: server.looks() - before, isWoken }).toEqual({ looks: 0, isWoken: true })
  })

  it('looks when an earlier build notifies, which does not tell', async () => {
    const before = server.looks()
    server.notify('a', 't', 2)
    await settle()
    expect({ looks: server.looks() - before, isWoken }).toEqual({ looks: 1, isWoken: false })
  })

  it('is woken by rows that this process wrote', async () => {
    follower.wroteOutbox()
    await settle()
    expect(isWoken).toBe(true)
  })
})
