import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, test } from 'vitest'
import { openDesk, type Store } from '../../src/index.ts'
import { soak } from '../support/soak.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { ann, callOf, changing, openRequests, textOf } from './proxies.ts'

const HOST = fileURLToPath(new URL('host.js', import.meta.url))

/** More than a call has: each append has a point before and one after it. */
const POINTS = Array.from({ length: 12 }, (_, index) => index + 1)

/** Decides what is open. An unknown outcome is answered by a person who looked; a call after delivery is left alone. */
async function decideAll(store: Store): Promise<void> {
  const desk = openDesk({ store })
  for (const request of await openRequests(store)) {
    const isNew = request.details?.earlier === undefined
    const decision = request.reason === 'unknown_outcome' ? { type: 'respond', message: 'paid 5' } : { type: 'approve' }
    if (isNew) await desk.decide({ request, decision: decision as { type: 'approve' }, by: ann })
  }
}

/** A call through a proxy in a process of its own, while people decide. Resolves to its text, if there is one. */
async function payThrough(work: object, store: Store): Promise<string | undefined> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({ command: process.execPath, args: [HOST, JSON.stringify(work)] })
  let isOver = false
  const call = client
    .connect(transport)
    .then(() => callOf(client, 'pay', { cents: 5 }))
    .then(textOf, () => undefined)
    .finally(() => {
      isOver = true
    })
  while (!isOver) {
    await decideAll(store)
    const [left] = await openRequests(store)
    // Nobody decides about a second payment: the first one was delivered.
    if (left?.details?.earlier !== undefined) await client.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const text = await call
  await client.close()
  return text
}

test.each(soak.sample(POINTS, { part: 6, of: 12 }))(
  'a proxy that is killed at point %i loses nothing: the same call made again gets its result, and the server ran it once at most',
  async (killAt) => {
    const { folder, programs: servers, pins, calls } = changing()
    const path = join(folder, 'store.db')
    const store = storeAt(path, { durability: 'process' }) as unknown as Store
    try {
      const first = await payThrough({ path, servers, pins, killAt }, store)
      // Each of the first points is in the way of the call.
      if (killAt <= 8) expect(first).toBeUndefined()
      const second = first ?? (await payThrough({ path, servers, pins }, store))
      const ran = calls().length
      expect(ran).toBeLessThanOrEqual(1)
      const [left] = await openRequests(store)
      // Killed after delivery was recorded: an equal call is a new request that shows the earlier one, and nobody approved it.
      if (left) expect([left.details?.earlier === undefined, ran]).toEqual([false, 1])
      else expect(second).toBe('paid 5')
    } finally {
      await store.close()
    }
  },
)
