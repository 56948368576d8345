import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../src/index.ts'
import type { Store } from '../../src/ports/store.ts'
import type { RequestItem } from '../../src/protocol/api/requests.ts'
import { signedIn } from '../support/gateway/browser-session.ts'
import { type GatewayProcess, gatewayProcess, send, type Written } from '../support/gateway/gateway-process.ts'
import { ask, askingAgent } from '../support/gateway/inbox-scene.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { sleepUntil } from '../support/sleep-until.js'
import { soak } from '../support/soak.ts'
import { typesOf } from '../support/stores/entries.ts'
import { type Place, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'

type Answer = Written<RequestItem & { code?: string; request?: RequestItem }>
const approve = { type: 'approve' } as const

interface Scene {
  store: Store
  gateways: [GatewayProcess, GatewayProcess]
}

/** Two gateways in processes of their own on one store, for the tests of a suite. Each test has threads of its own. */
function useTwoGateways(place: Place): { get(): Scene } {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-gateways-'))
  const kills: (() => Promise<void>)[] = []
  let scene: Scene | undefined
  beforeAll(async () => {
    const address = place(folder)
    const start = () => gatewayProcess(address, {}, (kill) => kills.push(kill))
    const store = storeAt(address, { durability: 'process' })
    scene = { store, gateways: [await start(), await start()] }
  })
  afterAll(async () => {
    for (const kill of kills) await kill()
    await scene?.store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { get: () => scene! }
}

async function shown(gateway: GatewayProcess, id: string) {
  const headers = { authorization: 'Bearer ann:operator' }
  const response = await fetch(`${gateway.url}/v1/requests/${id}`, { headers })
  const { request } = (await response.json()) as { request: RequestItem }
  return { version: request.version, digest: request.digest! }
}

/** Sends something to both at once, several times to each. */
function toBoth(
  { gateways }: Scene,
  path: string,
  given: (nth: number) => { token: string; body: unknown; key?: string },
): Promise<Answer[]> {
  const all = [0, 1, 2, 3, 4, 5].map((nth) => send<Answer['body']>(gateways[nth % 2]!, path, given(nth)))
  return Promise.all(all) as Promise<Answer[]>
}

const countOf = async (store: Store, threadId: string, type: string) =>
  (await typesOf(store, threadId)).filter((each) => each === type).length

const ROUNDS = soak.times(3, 40)

describe.each(usePlaces())('two gateways on %s', (_name, place) => {
  const scenes = useTwoGateways(place)

  it(
    'do a write once for its key, also if it is sent to both at once',
    async () => {
      const scene = scenes.get()
      for (let round = 0; round < ROUNDS; round++) {
        const threadId = randomUUID()
        const [id] = await ask(scene.store, threadId, {})
        const body = { ...(await shown(scene.gateways[0], id!)), decision: approve }
        const answers = await toBoth(scene, `/v1/requests/${id}/decide`, () => ({
          token: 'ann:reviewer',
          body,
          key: 'k',
        }))
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
        for (const { body: answer } of answers) expect(answer).toEqual(answers[0]!.body)
        expect(await countOf(scene.store, threadId, 'request.decided')).toBe(1)
        const notes = await toBoth(scene, `/v1/requests/${id}/comments`, () => ({
          token: 'ann:reviewer',
          body: { text: 'Done.' },
          key: 'k',
        }))
        expect(notes.every(({ status }) => status < 300)).toBe(true)
        expect(await countOf(scene.store, `~notes/${id}`, 'request.commented')).toBe(1)
      }
    },
    60_000 + ROUNDS * 2000,
  )

  it(
    'let one of several people decide, and tell the others who did',
    async () => {
      const scene = scenes.get()
      for (let round = 0; round < ROUNDS; round++) {
        const threadId = randomUUID()
        const [id] = await ask(scene.store, threadId, {})
        const body = { ...(await shown(scene.gateways[0], id!)), decision: approve }
        const answers = await toBoth(scene, `/v1/requests/${id}/decide`, (nth) => ({
          token: `p${nth}:reviewer`,
          body,
        }))
        const winner = answers.findIndex(({ status }) => status === 200)
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
        for (const [nth, answer] of answers.entries())
          if (nth !== winner)
            expect(answer.body).toMatchObject({
              code: 'already_decided',
              request: { status: 'decided', decided: { by: { id: `p${winner}` } } },
            })
        expect(await countOf(scene.store, threadId, 'request.decided')).toBe(1)
      }
    },
    60_000 + ROUNDS * 2000,
  )

  it(
    'let one of several people claim, and tell the others who has it',
    async () => {
      const scene = scenes.get()
      for (let round = 0; round < ROUNDS; round++) {
        const [id] = await ask(scene.store, randomUUID(), {})
        const answers = await toBoth(scene, `/v1/requests/${id}/claim`, (nth) => ({
          token: `p${nth}:reviewer`,
          body: { seconds: 60 },
        }))
        const winner = answers.findIndex(({ status }) => status === 200)
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
        for (const [nth, answer] of answers.entries())
          if (nth !== winner)
            expect(answer.body).toMatchObject({ code: 'taken', request: { assigned: { id: `p${winner}` } } })
      }
    },
    60_000 + ROUNDS * 2000,
  )

  it(
    'withdraw a decision or let it take effect at the end of its undo window, never both',
    async () => {
      const scene = scenes.get()
      const { store, gateways } = scene
      const outcomes = { ran: 0, withdrawn: 0 }
      for (let round = 0; round < ROUNDS; round++) {
        const threadId = randomUUID()
        const ran: unknown[] = []
        const agent = askingAgent([{}], { ran })
        const { interruptions } = await run(agent, 'please', { store, threadId })
        const id = interruptions[0]!.id
        const path = `/v1/requests/${id}`
        const body = { ...(await shown(gateways[0], id)), decision: approve, undoSeconds: 0.3 }
        const decided = await send<RequestItem>(gateways[0], `${path}/decide`, { body })
        expect(decided?.status).toBe(200)
        // Later from round to round, so that it comes before the end of the window, at it and after it.
        const at = Date.parse(decided!.body.decided!.effectiveAt) - 40 + (80 * round) / Math.max(1, ROUNDS - 1)
        const withdrawing = (async () => {
          await sleepUntil(at)
          const { version } = decided!.body
          return send<RequestItem>(gateways[1], `${path}/withdraw`, { body: { version } })
        })()
        const thread = agent.thread(threadId, { store })
        const going = (async () => {
          for (;;) {
            const result = await thread.resume({}).catch((error: unknown) => error as Error)
            if (!(result instanceof Error) && result.status === 'completed') return
            if ((await typesOf(store, threadId)).includes('request.reopened')) return
          }
        })()
        const withdrawn = await withdrawing
        await going
        expect([200, 409]).toContain(withdrawn?.status)
        const isBack = withdrawn?.status === 200
        expect(ran).toHaveLength(isBack ? 0 : 1)
        expect(await countOf(store, threadId, 'request.reopened')).toBe(isBack ? 1 : 0)
        if (!isBack) expect(withdrawn?.body).toMatchObject({ code: 'already_decided' })
        outcomes[isBack ? 'withdrawn' : 'ran'] += 1
      }
      expect(outcomes.ran + outcomes.withdrawn).toBe(ROUNDS)
    },
    60_000 + ROUNDS * 2000,
  )

  it('end a session at once wherever it is revoked: the other answers nothing more, and ends its stream', async () => {
    const {
      store,
      gateways: [one, two],
    } = scenes.get()
    const browser = await signedIn(one.url, store)
    expect((await browser.call('GET', '/v1/requests')).status).toBe(200)
    const stream = await openEvents(one.url, undefined, { headers: { cookie: browser.cookie! } })
    await until(() => stream.seen.lastId !== undefined)
    const headers = { authorization: 'Bearer ada:admin' }
    const listed = await fetch(`${two.url}/v1/sessions`, { headers })
    const { sessions } = (await listed.json()) as { sessions: { id: string; person: string }[] }
    const { id } = sessions.find(({ person }) => person === 'ann')!
    expect((await fetch(`${two.url}/v1/sessions/${id}`, { method: 'DELETE', headers })).status).toBeLessThan(300)
    const secret = await ask(store, 'later', {})
    expect((await browser.call('GET', '/v1/requests')).status).toBe(401)
    await until(() => stream.seen.ended)
    expect(stream.seen.text).not.toContain(secret[0])
  })
})
