import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RequestItem } from '../../src/protocol/api/requests.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { entry } from '../../src/testing/store-suite/tools.ts'
import { gatewayProcess, send } from '../support/gateway/gateway-process.ts'
import { ask } from '../support/gateway/inbox-scene.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { typesOf } from '../support/stores/entries.ts'
import { lockFile } from '../support/stores/lock-file.ts'
import { inFolder } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'

/** Trouble with a store's disk that begins and ends. */
type Trouble = (folder: string) => Promise<{ end(): void | Promise<void> }>

/** Works on a small disk that is mounted in a folder. */
async function onSmallDisk(folder: string, act: () => Promise<void>): Promise<void> {
  const options = ['-t', 'tmpfs', '-o', 'size=4m', 'holdpoint', folder]
  expect(spawnSync('mount', options, { encoding: 'utf8' })).toMatchObject({ status: 0 })
  try {
    await act()
  } finally {
    spawnSync('umount', ['-l', folder])
  }
}

const whyNoDisk = process.getuid?.() === 0 && process.platform === 'linux' ? undefined : 'only root can mount a disk'

const locked: Trouble = async (folder) => {
  const { release } = await lockFile(join(folder, 'store.db'))
  return { end: release }
}

const full: Trouble = async (folder) => {
  const file = join(folder, 'filler')
  const { bavail, bsize } = statfsSync(folder)
  try {
    writeFileSync(file, Buffer.alloc(bavail * bsize))
  } catch (error) {
    // The gateway may have written something in the meantime: then the disk is full before the end.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
  return { end: () => rmSync(file) }
}

/** Decides, streams and comes back, through trouble. */
async function through(folder: string, trouble: Trouble): Promise<void> {
  const address = join(folder, 'store.db')
  const store = storeAt(address, { durability: 'process' })
  const gateway = await gatewayProcess(address, { storeTimeoutMs: 300 })
  const [id] = await ask(store, 't', {})
  const headers = { authorization: 'Bearer ann:operator' }
  const show = () => fetch(`${gateway.url}/v1/requests/${id}`, { headers })
  const { version, digest } = ((await (await show()).json()) as { request: RequestItem }).request
  const stream = await openEvents(gateway.url, 'ann:operator')
  await until(() => stream.seen.lastId !== undefined)
  const body = { version, digest, decision: { type: 'approve' }, undoSeconds: 0 }
  const decide = () => send(gateway, `/v1/requests/${id}/decide`, { body, key: 'k' })
  const { end } = await trouble(folder)
  for (let i = 0; i < 3; i++) expect(await decide()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  // People can still read.
  expect((await show()).status).toBe(200)
  expect((await fetch(`${gateway.url}/v1/requests`, { headers })).status).toBe(200)
  await end()
  expect(await decide()).toMatchObject({ status: 200, replayed: false, body: { status: 'decided' } })
  expect(await decide()).toMatchObject({ status: 200, replayed: true })
  expect((await typesOf(store, 't')).filter((type) => type === 'request.decided')).toHaveLength(1)
  await until(() => stream.seen.events.length > 0)
  expect(stream.seen.events).toMatchObject([{ id, what: 'decided' }])
  await gateway.kill()
  await store.close()
}

describe('a store', () => {
  it.skipIf(whyNoDisk).each([false, true])(
    'whose disk is full can be closed, and loses nothing; with a thread: %j',
    async (thread) => {
      await inFolder('full', (folder) =>
        onSmallDisk(folder, async () => {
          const options = { path: join(folder, 'store.db'), thread }
          const store = sqliteStore(options)
          await store.append({ threadId: 't', entries: [entry('x'.repeat(100_000))] })
          const { end } = await full(folder)
          await store.close()
          await end()
          const again = sqliteStore(options)
          expect((await again.read('t')).version).toBe(1)
          await again.close()
        }),
      )
    },
  )
})

describe('a gateway', () => {
  it('whose SQLite file is locked refuses writes for that time, and then goes on', async () => {
    await inFolder('locked', (folder) => through(folder, locked))
  })

  it.skipIf(whyNoDisk)('whose disk is full refuses writes for that time, and then goes on', async () => {
    await inFolder('full', (folder) => onSmallDisk(folder, () => through(folder, full)))
  })
})
