import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { erase, openDesk, type Store } from '../../src/index.ts'
import { checkChain } from '../../src/protocol/chain/find-break.ts'
import { notesThread } from '../../src/protocol/ids.ts'
import { DELIVERY, DUE, putDelivery, putDue } from '../../src/webhooks/delivery.ts'
import { putDeadLetter, STUCK } from '../../src/worker/shared/stuck.ts'
import { soak } from '../support/soak.ts'
import { inFolder, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { finishedThread, SECRET, WHY } from './scene.ts'

vi.setConfig({ testTimeout: 300_000 })

/** Kinds of records of a tenant that name a secret, and what is left to do. */
const KINDS = [STUCK, 'idempotency', 'preview-edit', 'erasure']

/** A thread that is over, with its secret in every kind of record. */
async function marked(store: Store): Promise<string> {
  const request = await finishedThread(store, 't')
  await openDesk({ store }).comment(request, { text: SECRET, by: 'ann' })
  const value = JSON.stringify({ request, args: { note: SECRET }, by: { kind: 'person', id: 'ann' } })
  await store.writeRecords([
    putDeadLetter('t', { error: { message: SECRET }, tries: 9, agent: 'clerk', version: null, length: 1 }),
    { op: 'put', kind: 'idempotency', id: 'k', value: JSON.stringify({ body: SECRET, status: 200, subject: request }) },
    { op: 'put', kind: 'preview-edit', id: 'p', value },
  ])
  const id = `msg_${'a'.repeat(24)}_${request.replaceAll('-', '')}`
  const times = { createdAt: 0, since: 0, nextAt: 0 }
  const about = { id, tenant: store.tenantId, event: 'request.opened', request, version: 1 } as const
  const delivery = { ...about, status: 'waiting', attempts: 0, ...times, body: SECRET } as const
  await store.tenant('default').writeRecords([putDelivery(delivery), putDue(delivery, 0)])
  return request
}

/** Runs an erasure that is killed at a point. `undefined`: it was killed; else how many points there are. */
function eraseIn(work: { address: string; tenant: string; threadId: string; killAt: number }): number | undefined {
  const end = spawnSync(process.execPath, [join(ROOT, 'test/erasure/eraser.js'), JSON.stringify(work)], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (end.signal === 'SIGKILL') return undefined
  expect(end.status, end.stderr).toBe(0)
  return Number(end.stdout)
}

/** Whether the thread is as it was, or erased. Anything between fails. */
async function stateOf(store: Store, request: string): Promise<'whole' | 'erased'> {
  const bodies = (await store.readChain('t')).map(({ body }) => body).join('\n')
  const isErased = (await store.readHead('t')).erased === true
  expect(bodies.includes(SECRET)).toBe(!isErased)
  expect((await store.getRequest(request)) === undefined).toBe(isErased)
  return isErased ? 'erased' : 'whole'
}

async function checkGone(store: Store, request: string): Promise<void> {
  for (const threadId of ['t', notesThread(request)]) {
    const [entries, end] = [await store.readChain(threadId), await store.readHead(threadId)]
    const place = { tenant: store.tenantId, threadId, after: 0, previous: undefined }
    expect(checkChain({ ...place, entries, links: entries, end }).broken).toBeUndefined()
    expect(entries.map(({ body }) => body).join('\n')).not.toContain(SECRET)
  }
  for (const kind of KINDS) expect((await store.findRecords({ kind })).records, kind).toEqual([])
  for (const kind of [DELIVERY, DUE])
    expect(JSON.stringify(await store.tenant('default').findRecords({ kind })), kind).not.toContain(
      request.replaceAll('-', ''),
    )
  expect((await store.read('~erasures')).version).toBe(1)
}

describe.each(usePlaces())('an erasure that is killed with SIGKILL, with %s', (_, place) => {
  it('has erased all of a thread or nothing, and is completed by the next one, at whichever write it was', () =>
    inFolder('erasure', async (folder) => {
      const address = place(folder)
      const store = storeAt(address) as unknown as Store
      await marked(store.tenant('counted'))
      const points = eraseIn({ address, tenant: 'counted', threadId: 't', killAt: 0 }) ?? 0
      expect(points).toBeGreaterThanOrEqual(20)
      const states: string[] = []
      // In the short form only a few of them.
      const step = soak.times(5, 1)
      for (let killAt = 1; killAt <= points; killAt += step) {
        const own = store.tenant(`killed-${killAt}`)
        const request = await marked(own)
        expect(eraseIn({ address, tenant: own.tenantId, threadId: 't', killAt })).toBeUndefined()
        const state = await stateOf(own, request)
        states.push(state)
        // Another process erases something else, and completes what was begun.
        if (state === 'erased') await erase(store, { olderThanMs: 86_400_000, ...WHY })
        else await erase(own, { threadId: 't', ...WHY })
        await checkGone(own, request)
      }
      expect([...new Set(states)]).toEqual(['whole', 'erased'])
      await store.close()
    }))
})
