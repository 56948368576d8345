import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client.ts'
import { createGateway, type GatewayServer, jwtAuth, serve } from '../../src/gateway.ts'
import type { Message } from '../../src/index.ts'
import { redisStreams } from '../../src/redis.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { asked, questionsOn } from '../support/agents/remote-application.ts'
import { SECRET, tokenOf } from '../support/gateway/served-gateway.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'
import { inFolder } from '../support/stores/places.ts'
import { until } from '../support/until.ts'

// Processes take their time to start on a busy machine.

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())

interface Line {
  shown?: string
  started?: boolean
  status?: string
  messages?: Message[]
  error?: string
}

interface Live {
  lines: Line[]
  child: ChildProcess
  ended: Promise<unknown>
}

/** A store, streams and a gateway that outlive the applications which are started and killed. They run the built package. */
async function inPlace(
  options: { stored: boolean; remote?: boolean },
  act: (place: Awaited<ReturnType<typeof build>>) => Promise<void>,
): Promise<void> {
  await inFolder('remote', async (folder) => {
    const place = await build(folder, options)
    try {
      await act(place)
    } finally {
      await place.end()
    }
  })
}

async function build(folder: string, { stored, remote = false }: { stored: boolean; remote?: boolean }) {
  const path = join(folder, 'store.db')
  const effects = join(folder, 'effects')
  const session = randomUUID()
  const store = sqliteStore({ path })
  const streams = redisStreams({ url: redis.url })
  const auth = jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' })
  const open = (port = 0) =>
    serve(createGateway({ auth, streams, ...(stored ? { store } : {}) }), { port, graceSeconds: 0 })
  let gateway: GatewayServer = await open()
  const client = createClient({ url: gateway.url, token: await tokenOf('ann'), backoff: { initialMs: 20, maxMs: 100 } })
  const started: Live[] = []
  return {
    session,
    streams,
    client,
    start(kind: 'prompt' | 'resume'): Live {
      const program = fileURLToPath(new URL('application.js', import.meta.url))
      const work = { path, effects, session, redis: redis.url, act: kind, remote }
      const child = spawn(process.execPath, [program, JSON.stringify(work)], { stdio: ['ignore', 'pipe', 'inherit'] })
      const lines: Line[] = []
      createInterface({ input: child.stdout! }).on('line', (line) => lines.push(JSON.parse(line) as Line))
      const ended = new Promise((resolve) => {
        child.once('close', (_code, signal) => resolve(signal))
      })
      const live = { lines, child, ended }
      started.push(live)
      return live
    },
    effects: () => (existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : []),
    questions: () => questionsOn(streams, session),
    asked: () => asked(streams, session),
    /** Ends the gateway and serves another one at the same address. */
    async restartGateway(between: () => Promise<void>) {
      const { port } = gateway
      await gateway.close()
      await between()
      gateway = await open(port)
    },
    async end() {
      for (const { child } of started) child.kill('SIGKILL')
      await Promise.all(started.map(({ ended }) => ended))
      await gateway.close()
      await streams.shutdown()
      await store.close()
    },
  }
}

async function told(live: Live, fits: (line: Line) => unknown): Promise<Line> {
  await until(() => live.lines.some(fits))
  return live.lines.find(fits)!
}

async function kill(live: Live): Promise<void> {
  live.child.kill('SIGKILL')
  expect(await live.ended).toBe('SIGKILL')
}

async function completed(live: Live, text: string): Promise<void> {
  const { status, messages, error } = await told(live, (line) => line.status)
  expect({ status, error }).toEqual({ status: 'completed', error: undefined })
  expect(messages?.find(({ role }) => role === 'tool')?.content).toBe(text)
}

describe.each([
  ['a gateway that decides at the desk', true],
  ['a gateway without a store', false],
])('an application that is killed while its question is on the stream, with %s', (_, stored) => {
  it('asks it once over two kills, and runs what was approved once', () =>
    inPlace({ stored }, async ({ start, asked, questions, client, session, effects }) => {
      const first = start('prompt')
      const [question] = await asked()
      await kill(first)
      const second = start('resume')
      await told(second, ({ shown }) => shown === 'c1')
      await kill(second)
      const third = start('resume')
      await told(third, ({ shown }) => shown === 'c1')
      expect(await questions()).toEqual([question])
      // Without a store the reply waits on the stream; the application shows what it asks a moment before it listens.
      expect(['answered', ...(stored ? [] : ['unheard'])]).toContain(
        await client.respond(session, question!.msg_id, 'approve'),
      )
      await completed(third, '500 cents paid back')
      expect(effects()).toEqual(['refund 500'])
      await third.ended
      expect(await questions()).toEqual([])
    }))

  it('finds the answer that was given while it was dead, and runs it once', () =>
    inPlace({ stored }, async ({ start, asked, questions, client, session, effects }) => {
      const first = start('prompt')
      const [question] = await asked()
      await kill(first)
      expect(await client.respond(session, question!.msg_id, { decision: { type: 'edit', args: { cents: 5 } } })).toBe(
        stored ? 'answered' : 'unheard',
      )
      expect(await client.respond(session, question!.msg_id, 'approve')).toBe('gone')
      expect(effects()).toEqual([])
      const second = start('resume')
      await told(second, ({ status }) => status === 'completed')
      expect(effects()).toEqual(['refund 5'])
      expect(await questions()).toEqual([])
    }))
})

describe('a gateway that goes away and comes back', () => {
  it('is found again by the client, which has missed nothing', () =>
    inPlace({ stored: true }, async ({ start, asked, client, session, effects, restartGateway }) => {
      const first = start('prompt')
      await asked()
      const seen = client.session(session)
      onTestFinished(() => seen.close())
      await until(() => seen.pending.length === 1)
      let answer: Promise<string> | undefined
      await restartGateway(async () => {
        await until(() => seen.state === 'retrying')
        // Sent into the void, and tried again until somebody is there.
        answer = seen.respond(seen.pending[0]!.id, 'approve', { tries: 100 })
      })
      expect(await answer).toBe('answered')
      await until(() => seen.state === 'open')
      await completed(first, '500 cents paid back')
      expect(effects()).toEqual(['refund 500'])
    }))
})

describe('an application that is killed while a client does its work', () => {
  it('gets the result after its restart; the client did it once', () =>
    inPlace({ stored: true, remote: true }, async ({ start, client, session, questions }) => {
      let runs = 0
      let finish: (value: string) => void = () => undefined
      const stop = new AbortController()
      onTestFinished(() => stop.abort())
      const first = start('prompt')
      await told(first, ({ started }) => started)
      const served = client.serveTools(
        session,
        {
          refund: () => {
            runs += 1
            return new Promise((resolve) => {
              finish = resolve
            })
          },
        },
        { signal: stop.signal },
      )
      await until(() => runs === 1)
      await kill(first)
      const second = start('resume')
      await told(second, ({ started }) => started)
      finish('paid at the till')
      await completed(second, 'paid at the till')
      expect(runs).toBe(1)
      expect(await questions()).toEqual([])
      stop.abort()
      await served
    }))
})
