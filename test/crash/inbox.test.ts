import { join } from 'node:path'
import { expect, it } from 'vitest'
import { effectsAt } from '../../demo/inbox/effects.js'
import type { Store } from '../../src/index.ts'
import type { RequestItem } from '../../src/protocol/api/requests.ts'
import { holdpoint, type Running, start, tempDir } from '../cli/support/programs.ts'
import { Browser } from '../support/gateway/browser-session.ts'
import { seeded } from '../support/random.ts'
import { soak } from '../support/soak.ts'
import { entriesOf, ofType } from '../support/stores/entries.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { pause, until } from '../support/until.ts'

const LINK = /^(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]+\.[\w-]+)$/m
const KILLS = soak.times(3, 20)
const CONVERSATIONS = 15

/** The answers to what the demo asks. */
const ANSWERS = { confirm: true, ask: { region: 'eu', modules: ['orders'] } }

/** A decision that the page showed as done. */
interface Done {
  id: string
  threadId: string
}

/** Decides whatever is open, one after the other, until the server is gone or nothing is open. */
async function decideAll(browser: Browser, done: Done[]): Promise<void> {
  for (;;) {
    const list = await browser.call('GET', '/v1/requests?status=open&limit=50')
    const [request] = ((await list.json()) as { requests: RequestItem[] }).requests
    if (!request) return
    const { id, kind, version, digest, threadId } = request
    const seen = { version, ...(digest === undefined ? {} : { digest }) }
    const response = await (kind === 'approve'
      ? browser.call('POST', `/v1/requests/${id}/decide`, {
          body: { ...seen, decision: { type: 'approve' }, undoSeconds: 0 },
          headers: { 'idempotency-key': `${id} ${version}` },
        })
      : browser.call('POST', `/v1/requests/${id}/answer`, {
          body: { ...seen, answer: ANSWERS[kind] },
          headers: { 'idempotency-key': `${id} ${version}` },
        }))
    // A request that was asked anew meanwhile is decided in the next turn.
    if (response.status === 409) continue
    expect([response.status, await response.text()], `${kind} ${threadId}`).toEqual([200, expect.anything()])
    done.push({ id, threadId })
  }
}

async function begin(folder: string): Promise<{ running: Running; browser: Browser }> {
  const running = start(folder, ['start'], { HOLDPOINT_DATA: folder, PORT: '0', HOLDPOINT_DEMO: 'fixed' })
  const [, url = '', code = ''] = LINK.exec(await running.shows(LINK)) ?? []
  const browser = new Browser(url)
  expect((await browser.signIn({ code })).status).toBe(200)
  return { running, browser }
}

/** How many conversations are over. */
async function countOver(store: Store): Promise<number> {
  const { threads } = await store.threads({ limit: 500 })
  const over = await Promise.all(
    threads.map(async ({ threadId }) => ofType(await entriesOf(store, threadId), 'run.settled').length > 0),
  )
  return over.filter(Boolean).length
}

/** The threads in which nobody has rejected anything. */
async function notRejected(store: Store): Promise<string[]> {
  const { threads } = await store.threads({ limit: 500 })
  const decided = await Promise.all(
    threads.map(async ({ threadId }) => ({
      threadId,
      decisions: ofType(await entriesOf(store, threadId), 'request.decided'),
    })),
  )
  return decided
    .filter(({ decisions }) => decisions.every(({ decision }) => decision.type !== 'reject'))
    .map(({ threadId }) => threadId)
}

it(
  'the inbox, killed at random while somebody decides everything, keeps each decision and does each thing once',
  async () => {
    const random = seeded(soak.seeds(1, 1)[0]!)
    const folder = tempDir()
    const done: Done[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const { running, browser } = await begin(folder)
      const deciding = decideAll(browser, done).catch((error: unknown) => {
        // The server went away.
        if (!(error instanceof TypeError)) throw error
      })
      await pause(random.upTo(600))
      running.child.kill('SIGKILL')
      await running.ended
      await deciding
    }
    const { running, browser } = await begin(folder)
    const path = join(folder, 'holdpoint.db')
    const store = storeAt(path)
    await until(async () => {
      await decideAll(browser, done)
      return (await countOver(store)) === CONVERSATIONS
    })
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)

    const effects = effectsAt(join(folder, 'effects.log')).all()
    const unique = (of: (each: (typeof effects)[number]) => string) => new Set(effects.map(of)).size
    expect([unique(({ key }) => key), unique(({ thread, what }) => `${thread} ${what}`)]).toEqual([
      effects.length,
      effects.length,
    ])
    // A colleague rejects one, unless somebody here was faster.
    expect(new Set(effects.map(({ thread }) => thread))).toEqual(new Set(await notRejected(store)))
    for (const { id, threadId } of done) {
      const entries = await entriesOf(store, threadId)
      const stored = [...ofType(entries, 'request.decided'), ...ofType(entries, 'request.answered')]
      expect(
        stored.filter((entry) => entry.id === id && entry.by.via === 'link'),
        `${threadId} ${id}`,
      ).not.toEqual([])
    }
    await store.close()
    expect(holdpoint(folder, ['audit', 'verify', '--store', path])).toMatchObject({ code: 0, stderr: '' })
  },
  200_000 + KILLS * 8000,
)
