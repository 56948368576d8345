import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { OutboxRow } from '../../src/ports/outbox.ts'
import type { Store } from '../../src/ports/store.ts'
import { requestId } from '../../src/testing/store-suite/tools.ts'
import { soak } from '../support/soak.ts'
import { inFolder, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { eachOf, runChild } from './support/children.ts'

/** R1 and O1 when the process is killed with SIGKILL at any point of any write: begun, written, committed. */
const COUNT = soak.times(1, 4)
const POINTS = 3

async function outboxOf(store: Store): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = []
  for (let after = ''; ; ) {
    const page = await store.outbox({ after })
    if (page.rows.length === 0) return rows
    rows.push(...page.rows)
    after = page.end
  }
}

/** Fails unless requests, records and the outbox tell the same. Gives how much there is. */
async function checkWhole(store: Store): Promise<number> {
  const done = (await store.findRecords({ kind: 'done', limit: 500 })).records.map(({ id }) => id)
  const told = (await outboxOf(store)).map(({ what, id }) => `${what} ${id}`)
  expect([...told].sort()).toEqual(done)
  for (let n = 0; n < COUNT; n++) {
    const id = requestId(n)
    const request = await store.getRequest(id)
    expect(done.includes(`opened ${id}`)).toBe(request !== undefined)
    expect(done.includes(`decided ${id}`)).toBe(request?.status === 'decided')
    expect(done.includes(`commented ${id}`)).toBe(request?.comments === 1)
    expect((await store.read(`~notes/${id}`)).version).toBe(request?.comments ?? 0)
  }
  const pair = (await store.findRecords({ kind: 'pair' })).records
  expect([0, 2]).toContain(pair.length)
  expect(pair[0]?.value).toBe(pair[1]?.value)
  return done.length + pair.length
}

describe.each(usePlaces())('R1, O1: a process that is killed while it writes, with %s', (name, place) => {
  it('leaves records and rows of the outbox exactly with what they belong to', async () => {
    // Postgres writes records alone with one statement, without points of its own.
    const points = COUNT * POINTS * (name === 'SQLite' ? 4 : 3)
    const left = await inFolder('beside', (folder) =>
      eachOf(
        Array.from({ length: points }, (_, index) => index + 1),
        2,
        async (killAt) => {
          const own = join(folder, String(killAt))
          mkdirSync(own)
          const address = place(own)
          const end = await runChild('crash/support/beside.js', { address, killAt, count: COUNT })
          expect(end, end.stderr).toMatchObject({ killed: true })
          const store = storeAt(address) as unknown as Store
          try {
            // Postgres may still be doing what the process sent last, and shows rows once the transactions of others are over.
            let left = 0
            await vi.waitFor(async () => {
              left = await checkWhole(store)
            }, 5000)
            return left
          } finally {
            await store.close()
          }
        },
      ),
    )
    if (name === 'SQLite') expect(left).toEqual([...left].sort((a, b) => a - b))
    expect(new Set(left).size).toBeGreaterThan(3)
  })

  it('has all of it if nobody kills it', () =>
    inFolder('beside', async (folder) => {
      const address = place(folder)
      const end = await runChild('crash/support/beside.js', { address, killAt: 0, count: COUNT })
      expect(end, end.stderr).toMatchObject({ code: 0 })
      const store = storeAt(address) as unknown as Store
      await vi.waitFor(async () => expect(await checkWhole(store)).toBe(COUNT * 3 + 2), 5000)
      await store.close()
    }))
})
