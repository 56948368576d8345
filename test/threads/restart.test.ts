import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Message, Store } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { assertValidHistory, resultsIn } from '../support/agents/results.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { until } from '../support/until.ts'

interface Line {
  shown?: string
  reason?: string
  hangs?: boolean
  status?: string
  messages?: Message[]
}

interface Live {
  lines: Line[]
  child: ChildProcess
  ended: Promise<NodeJS.Signals | null>
}

interface Place {
  start(work: { act: 'prompt' | 'resume' | 'respond'; answer?: unknown; dangling?: boolean; gate?: boolean }): Live
  effects(): string[]
  withStore<T>(look: (store: Store) => Promise<T>): Promise<T>
}

/** A folder with a store, and processes that work on it. They run the built package: `npm test` builds it first. */
async function inPlace(act: (place: Place) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-restart-'))
  const path = join(dir, 'store.db')
  const effects = join(dir, 'effects')
  const started: Live[] = []
  try {
    await act({
      start(work) {
        const program = fileURLToPath(new URL('live.js', import.meta.url))
        const child = spawn(process.execPath, [program, JSON.stringify({ path, effects, ...work })], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const lines: Line[] = []
        createInterface({ input: child.stdout! }).on('line', (line) => lines.push(JSON.parse(line) as Line))
        const ended = new Promise<NodeJS.Signals | null>((resolve) => {
          child.once('close', (_code, signal) => resolve(signal))
        })
        const live = { lines, child, ended }
        started.push(live)
        return live
      },
      effects: () => (existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : []),
      async withStore(look) {
        const store = sqliteStore({ path })
        try {
          return await look(store)
        } finally {
          await store.close()
        }
      },
    })
  } finally {
    for (const { child } of started) child.kill('SIGKILL')
    await Promise.all(started.map(({ ended }) => ended))
    rmSync(dir, { recursive: true, force: true })
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

describe('a process that is killed in the middle of a wait inside a body', () => {
  it('loses nothing: two waits over two kills, each step done once, each question asked once', () =>
    inPlace(async ({ start, effects, withStore }) => {
      const first = start({ act: 'prompt' })
      await told(first, ({ shown }) => shown?.endsWith('.0'))
      await kill(first)
      const second = start({ act: 'respond', answer: true })
      await told(second, ({ shown }) => shown?.endsWith('.1'))
      await kill(second)
      expect(effects()).toEqual(['build', 'stage'])
      const third = start({ act: 'respond', answer: false })
      const { status, messages } = await told(third, (line) => line.status)
      expect(status).toBe('completed')
      expect(resultsIn(messages)).toEqual([['c1', 'true false']])
      expect(effects()).toEqual(['build', 'stage', 'ship'])
      expect((await withStore(requestsOf)).map(([, stood]) => stood)).toEqual(['decided', 'decided'])
    }))

  it('without an answer the question is shown again, and nothing is entered', () =>
    inPlace(async ({ start, effects }) => {
      const first = start({ act: 'prompt' })
      const { shown } = await told(first, (line) => line.shown)
      await kill(first)
      const second = start({ act: 'resume' })
      expect((await told(second, (line) => line.shown)).shown).toBe(shown)
      expect(effects()).toEqual(['build'])
    }))

  it('in the middle of a step: the outcome is unknown, and a person is asked instead of doing it again', () =>
    inPlace(async ({ start, effects }) => {
      const first = start({ act: 'prompt', dangling: true })
      await told(first, ({ hangs }) => hangs)
      await kill(first)
      const second = start({ act: 'resume' })
      expect(await told(second, ({ shown }) => shown)).toMatchObject({ shown: 'c1', reason: 'unknown_outcome' })
      expect(effects()).toEqual(['build'])
    }))
})

describe('a process that is told to end (SIGTERM)', () => {
  it.each([
    ['at a gate', true],
    ['in a wait inside a body', false],
  ])('%s: keeps the request open and the history valid, and a fresh process goes on', (_, gate) =>
    inPlace(async ({ start, effects, withStore }) => {
      const first = start({ act: 'prompt', gate })
      await told(first, ({ shown }) => shown)
      first.child.kill('SIGTERM')
      const { status, messages } = await told(first, (line) => line.status)
      expect(status).toBe('incomplete')
      expect(await first.ended).toBeNull()
      assertValidHistory(messages!, true)
      expect((await withStore(requestsOf)).map(([, stood]) => stood)).toEqual(['open'])
      const second = start({ act: 'respond', gate, answer: gate ? { type: 'reject', message: 'no' } : true })
      if (!gate) {
        await told(second, ({ shown }) => shown?.endsWith('.1'))
        expect(effects()).toEqual(['build', 'stage'])
        return
      }
      const end = await told(second, (line) => line.status)
      expect(end.status).toBe('completed')
      expect(resultsIn(end.messages)).toEqual([['c1', 'no']])
      expect(effects()).toEqual([])
    }),
  )
})

describe('two processes on one thread', () => {
  it('an answer in one wakes the live wait of the other, and both come to the same end', () =>
    inPlace(async ({ start, effects }) => {
      const first = start({ act: 'prompt', gate: true })
      await told(first, ({ shown }) => shown === 'c1')
      const second = start({ act: 'respond', gate: true, answer: { type: 'reject', message: 'not today' } })
      for (const live of [first, second]) {
        const { status, messages } = await told(live, (line) => line.status)
        expect(status).toBe('completed')
        expect(resultsIn(messages)).toEqual([['c1', 'not today']])
      }
      expect(effects()).toEqual([])
    }))
})
