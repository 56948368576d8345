import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { createInboxClient, type InboxClient } from '../../src/client.ts'
import type { Store } from '../../src/index.ts'
import { holdpoint, start } from '../cli/support/programs.ts'
import { asked, fileStore, SECRET, scene, urlOf } from '../operate/scene.ts'
import { until } from '../support/until.ts'
import type { SpanLine } from './spans-to-file.js'

const AGENTS = fileURLToPath(new URL('./tellers.js', import.meta.url))
const SPANS = fileURLToPath(new URL('./spans-to-file.js', import.meta.url))
const ENQUEUE = fileURLToPath(new URL('./enqueue.js', import.meta.url))
/** Data of the run that must not leave it. */
const IBAN = 'DE02120300000000202051'
const COMMENT = 'a comment of the person'

interface Place {
  readonly store: Store
  readonly client: InboxClient
  /** The spans that were written so far, by all processes. */
  spans(): SpanLine[]
  named(name: string): SpanLine[]
  enqueue(threadId: string): void
  over(threadId: string): Promise<void>
}

/** A gateway and a worker, each a process of its own that is traced, on one store. */
async function place(): Promise<Place> {
  const { dir } = scene()
  const file = join(dir, 'spans')
  const env = { SPANS: file, NODE_OPTIONS: `--import=${pathToFileURL(SPANS)}`, HOLDPOINT_JWT_SECRET: SECRET }
  const gateway = start(dir, ['serve', '--store', 'store.db', '--port', '0'], env)
  const url = await urlOf(gateway, 'url')
  start(dir, ['worker', '--agents', AGENTS, '--store', 'store.db'], env)
  const token = holdpoint(dir, ['token', '--sub', 'ann', '--role', 'reviewer'], { HOLDPOINT_JWT_SECRET: SECRET })
  const store = fileStore(dir)
  const spans = () => {
    const text = readFileSync(file, 'utf8')
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as SpanLine)
  }
  return {
    store,
    client: createInboxClient({ url, token: token.stdout.trim() }),
    spans,
    named: (name) => spans().filter((span) => span.name === name),
    enqueue(threadId) {
      // Node 22 calls its SQLite experimental, on standard error.
      const args = ['--disable-warning=ExperimentalWarning', ENQUEUE, join(dir, 'store.db'), threadId, IBAN]
      const { status, stderr } = spawnSync(process.execPath, args, {
        env: { ...process.env, ...env },
        encoding: 'utf8',
        timeout: 60_000,
      })
      expect([status, stderr]).toEqual([0, ''])
    },
    over: (threadId) =>
      until(async () => {
        const { entries } = await store.read(threadId)
        return entries.some(({ body }) => JSON.parse(body).type === 'run.settled')
      }),
  }
}

async function approve({ client, store }: Place): Promise<void> {
  const {
    request: { id, version, digest = '' },
  } = await client.request(await asked(store))
  await client.decide(id, { version, digest, decision: { type: 'approve' }, comment: COMMENT })
}

it('a run is one trace from its enqueueing through worker, gateway and another drive to its tool', async () => {
  const at = await place()
  at.enqueue('t1')
  await approve(at)
  await at.over('t1')
  await until(() => at.named('holdpoint.run').length === 2)
  const spans = at.spans()
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(new Set(spans.map(({ pid }) => pid)).size).toBe(3)
  const [enqueued] = at.named('holdpoint.enqueue')
  const [asking] = at.named('hitl.approve')
  const [decided] = at.named('holdpoint.decide')
  const [first, resumed] = at.named('holdpoint.run')
  const wakeUps = at.named('holdpoint.wake_up')
  expect(enqueued?.parent).toBeUndefined()
  const parents = [first, resumed, ...wakeUps].map((span) => span?.parent)
  expect(new Set(parents)).toEqual(new Set([enqueued?.spanId]))
  expect(decided?.links).toEqual([asking?.spanId])
  expect(decided?.parent).toBe(asking?.spanId)
  expect(decided?.pid).not.toBe(asking?.pid)
  expect(decided?.attributes).toMatchObject({ 'hitl.outcome': 'approved', 'hitl.tool_name': 'pay' })
  const woken = wakeUps.filter(({ links }) => links.includes(decided?.spanId ?? '')).map(({ spanId }) => spanId)
  expect(woken).not.toEqual([])
  expect(resumed?.links).toContain(decided?.spanId)
  expect(resumed?.links.some((link) => woken.includes(link))).toBe(true)
  const tool = at.named('holdpoint.tool_call').find(({ parent }) => parent === resumed?.spanId)
  expect(tool?.links).toContain(decided?.spanId)
  expect(at.named('bank.transfer').map(({ parent }) => parent)).toEqual([tool?.spanId])
  expect([first, resumed].map((span) => span?.attributes['holdpoint.ending'])).toEqual(['paused', 'settled'])
  expect(JSON.stringify(spans)).not.toMatch(new RegExp([IBAN, COMMENT, '"ann"', 'paid to', 'done'].join('|')))
})
