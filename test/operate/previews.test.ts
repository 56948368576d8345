import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ApiError, createInboxClient } from '../../src/client.ts'
import { SYSTEM_TENANT } from '../../src/ports/records.ts'
import { enqueueRun } from '../../src/worker.ts'
import { holdpoint, start } from '../cli/support/programs.ts'
import { until } from '../support/until.ts'
import { asked, fileStore, SECRET, scene, urlOf } from './scene.ts'

const AGENTS = fileURLToPath(new URL('./previewers.js', import.meta.url))

it('a gateway without agents lets a worker preview edits: validated, judged, bounded in time also if the worker is killed, and never run', async () => {
  const { dir, paid, read } = scene()
  const store = fileStore(dir)
  const env = { HOLDPOINT_JWT_SECRET: SECRET, PAID: paid }
  await enqueueRun(store, { agent: { id: 'refunder', version: '2' }, input: 'go', threadId: 't1' })
  const url = await urlOf(start(dir, ['serve', '--store', 'store.db', '--port', '0'], env), 'url')
  const token = holdpoint(dir, ['token', '--sub', 'ann', '--role', 'operator'], env).stdout.trim()
  const client = createInboxClient({ url, token })
  expect((await client.me()).previews).toBe(false)
  const worker = start(dir, ['worker', '--agents', AGENTS, '--store', 'store.db'], env)
  const id = await asked(store)
  expect((await client.me()).previews).toBe(true)
  const before = (await store.read('t1')).version
  const previewOnce = (args: object) =>
    client.preview(id, { version: 1, args: args as never }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      return { code: error.code, detail: error.message }
    })
  // A busy machine may take longer than the gateway waits.
  const preview = async (args: object) => {
    for (let tries = 1; ; tries++) {
      const shown = await previewOnce(args)
      if (!('detail' in shown) || !shown.detail.includes('in time') || tries === 5) return shown
    }
  }
  expect(await preview({ cents: 7 })).toEqual({ digest: expect.any(String), preview: 'pays 7 back', problems: [] })
  expect(await preview({ cents: 'x' })).toEqual({ problems: [expect.stringContaining('cents')] })
  // A policy of the worker, not of the agent.
  expect(await preview({ cents: 500 })).toEqual({ problems: ['too much'] })
  const failed = await preview({ cents: 13 })
  expect(failed).toMatchObject({ code: 'preview_unavailable', detail: expect.stringContaining('failed') })
  expect(JSON.stringify(failed)).not.toContain('secret')
  const began = performance.now()
  expect(await previewOnce({ cents: 14 })).toMatchObject({ code: 'preview_unavailable' })
  expect(performance.now() - began).toBeGreaterThan(4000)
  // Nothing is left of them, and nothing was done.
  expect((await store.read('t1')).version).toBe(before)
  expect(read()).toEqual([])
  for (const kind of ['preview-asked', 'preview-edit', 'preview-said'])
    expect((await store.tenant(SYSTEM_TENANT).findRecords({ kind })).records).toEqual([])
  // A worker that is killed inside of a preview.
  const cut = previewOnce({ cents: 14 })
  const left = async (kind: string) => (await store.tenant(SYSTEM_TENANT).findRecords({ kind })).records.length
  await until(async () => (await left('preview-edit')) === 1 && (await left('preview-asked')) === 0)
  worker.child.kill('SIGKILL')
  expect(await cut).toMatchObject({ code: 'preview_unavailable', detail: expect.stringContaining('in time') })
  expect([await left('preview-edit'), await left('preview-said')]).toEqual([0, 0])
  const next = start(dir, ['worker', '--agents', AGENTS, '--store', 'store.db'], env)
  await next.shows('takes threads')
  expect(await preview({ cents: 7 })).toMatchObject({ preview: 'pays 7 back' })
  next.child.kill('SIGTERM')
  expect(await next.ended).toBe(0)
  // The worker that was killed counts as alive until its record expires.
  let unserved: unknown
  await until(async () => {
    unserved = await previewOnce({ cents: 7 })
    return !JSON.stringify(unserved).includes('in time')
  })
  expect(unserved).toMatchObject({ code: 'preview_unavailable', detail: expect.stringContaining('nor a worker') })
})
