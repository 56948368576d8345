import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { idempotencyKey } from '../../src/core/digest.ts'
import type { Entry, EntryOf } from '../../src/protocol/entries/entry.ts'
import { parseBody } from '../../src/protocol/entries/versions.ts'
import { readLines, runChild, tell } from '../crash/support/children.ts'
import { type Effect, verifyChain } from '../crash/support/verify.ts'
import { soak } from '../support/soak.ts'
import { usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import type { Contest } from './contender.js'

type Line = { threadId: string; who: string } & (
  | { kind: 'returned'; status: string; error?: string }
  | { kind: 'heard' }
  | { kind: 'won'; requestId: string; type: string }
  | { kind: 'refused'; name: string; message: string; requestId?: string; by?: string }
)

const PROCESSES = soak.times(3, 8)
const THREADS = Array.from({ length: soak.times(8, 20) }, (_, index) => `contested-${index}`)
/** Long enough for every process to be there. */
const GATHER_MS = 1_500

describe.each(usePlaces())(
  'G2, G4: many processes that run, decide and resume the same threads at once, with %s',
  (store, place) => {
    let dir = ''
    let contest: Omit<Contest, 'name' | 'startAt' | 'steps'>
    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'holdpoint-races-'))
      contest = {
        path: place(dir),
        log: join(dir, 'log'),
        threads: THREADS,
        promises: 2,
        cycle: {
          effects: join(dir, 'effects'),
          unknown: 'ask',
          decision: 'approve',
          onceMore: 'approve',
          via: 'state',
          turns: 1,
          shape: 'alone',
          bodyMs: { lookup: 0, notify: 10, refund: 10 },
        },
      }
    })
    afterEach(() => rmSync(dir, { recursive: true, force: true }))

    it('open one run at a time, decide each request once and run each call once', async () => {
      await contendAll(contest, PROCESSES, ['run', 'decide', 'resume'])
      const lines = readLines<Line>(contest.log)
      expectTyped(lines)
      const journals = await readJournals(contest)
      for (const [threadId, entries] of journals) {
        const own = lines.filter((line) => line.threadId === threadId)
        expectOneDecisionEach(entries, own)
        expectOneRunEach(entries, effectsOf(contest, threadId))
        // Whoever was not refused was heard, once.
        const heard = own.flatMap((line) => (line.kind === 'heard' ? [`an order from ${line.who}`] : []))
        const inputs = entries.flatMap((entry) => ('input' in entry ? entry.input.map(({ content }) => content) : []))
        expect(inputs.sort()).toEqual(heard.sort())
      }
      tell(`${store}: ${PROCESSES} processes, ${THREADS.length} threads: ${summary(lines)}`)
    })

    const onlyHere = store === 'SQLite' ? it : undefined
    onlyHere?.('do the same where agents run inside agents', async () => {
      const nested = {
        ...contest,
        threads: THREADS.slice(0, 6),
        cycle: { ...contest.cycle, shape: 'nested' as const },
      }
      await contendAll(nested, 4, ['run', 'decide', 'resume'])
      const lines = readLines<Line>(nested.log)
      expectTyped(lines)
      for (const [threadId, entries] of await readJournals(nested)) {
        expectOneDecisionEach(
          entries,
          lines.filter((line) => line.threadId === threadId),
        )
        expectOneRunEach(entries, effectsOf(nested, threadId))
      }
      tell(`${store}: 4 processes, 6 threads of nested runs: ${summary(lines)}`)
    })

    it('resume approved threads once', async () => {
      await contendAll(contest, 1, ['run', 'decide'])
      await contendAll(contest, PROCESSES, ['resume'])
      const lines = readLines<Line>(contest.log)
      expectTyped(lines)
      for (const [threadId, entries] of await readJournals(contest)) {
        expect(of(entries, 'run.opened').length).toBe(1)
        expectOneRunEach(entries, effectsOf(contest, threadId))
      }
      tell(`${store}: ${PROCESSES} processes resume ${THREADS.length} threads: ${summary(lines)}`)
    })
  },
)

async function contendAll(
  contest: Omit<Contest, 'name' | 'startAt' | 'steps'>,
  processes: number,
  steps: Contest['steps'],
): Promise<void> {
  const startAt = Date.now() + GATHER_MS
  const ends = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      runChild('races/contender.js', { ...contest, name: `p${index}`, startAt, steps }),
    ),
  )
  for (const end of ends) expect(end, end.stderr).toMatchObject({ killed: false, code: 0 })
}

/** Losers are told so in words of this project, never by the database. */
function expectTyped(lines: readonly Line[]): void {
  const names = new Set(lines.flatMap((line) => (line.kind === 'refused' ? [line.name] : [])))
  expect(['HitlStaleAnswer', 'ThreadBusy', 'ThreadPaused']).toEqual(expect.arrayContaining([...names]))
  const returned = lines.filter((line) => line.kind === 'returned')
  expect(returned.filter(({ status }) => status !== 'completed' && status !== 'interrupted')).toEqual([])
}

/** One decision for each request; its winner was told so, and the losers were told who won. */
function expectOneDecisionEach(entries: readonly Entry[], lines: readonly Line[]): void {
  for (const { id } of of(entries, 'request.opened')) {
    const decided = of(entries, 'request.decided').filter((entry) => entry.id === id)
    expect(decided.length, `decisions on ${id}`).toBe(1)
    const winner = decided[0]!.by.id
    const won = lines.flatMap((line) => (line.kind === 'won' && line.requestId === id ? [line] : []))
    expect(won.map(({ who, type }) => [who, type])).toEqual([[winner, decided[0]!.decision.type]])
    for (const line of lines) if (line.kind === 'refused' && line.requestId === id) expect(line.by).toBe(winner)
  }
}

/** Nobody died here, so each call has one result and what was started ran exactly once. */
function expectOneRunEach(entries: readonly Entry[], effects: readonly Effect[]): void {
  expect(of(entries, 'run.opened').length).toBe(of(entries, 'run.settled').length)
  let started = 0
  for (const { call } of of(entries, 'call.judged')) {
    const own = entries.filter((entry) => 'call' in entry && entry.call === call)
    expect(own.filter(({ type }) => type === 'call.finished' || type === 'call.refused').length).toBe(1)
    const releases = of(own, 'call.released')
    const starts = of(own, 'call.started')
    expect(starts.length).toBe(releases.length)
    expect(starts.length).toBeLessThanOrEqual(1)
    // A nested run has no body: what it does is other calls.
    if (starts[0]?.frame) continue
    const keys = releases.map(({ digest }) => idempotencyKey('default', call, digest))
    expect(effects.filter((effect) => keys.includes(effect.idempotencyKey)).length).toBe(starts.length)
    started += starts.length
  }
  expect(effects.length).toBe(started)
}

async function readJournals({ path, threads }: { path: string; threads: string[] }): Promise<Map<string, Entry[]>> {
  const store = storeAt(path)
  const journals = new Map<string, Entry[]>()
  for (const threadId of threads) {
    const chain = await store.readChain(threadId)
    verifyChain('default', threadId, chain)
    journals.set(
      threadId,
      chain.map(({ body, seq }) => parseBody(body, { threadId, seq })),
    )
  }
  await store.close()
  return journals
}

function effectsOf({ cycle }: Pick<Contest, 'cycle'>, threadId: string): Effect[] {
  return readLines<Effect>(cycle.effects).filter((effect) => effect.threadId === threadId)
}

function of<T extends Entry['type']>(entries: readonly Entry[], type: T): EntryOf<T>[] {
  return entries.filter((entry): entry is EntryOf<T> => entry.type === type)
}

function summary(lines: readonly Line[]): string {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const name = line.kind === 'refused' ? line.name : line.kind === 'returned' ? line.status : line.kind
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
}
