import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { idempotencyKey } from '../../../src/core/digest.ts'
import { apply } from '../../../src/core/fold/fold.ts'
import { emptyState } from '../../../src/core/state.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { ChainedEntry } from '../../../src/ports/stored-entry.ts'
import { bodyHash, CHAIN_START, chainHash } from '../../../src/protocol/chain/chain.ts'
import type { Entry, EntryOf } from '../../../src/protocol/entries/entry.ts'
import { parseBody } from '../../../src/protocol/entries/versions.ts'
import { type CallKey, frameOf } from '../../../src/protocol/ids.ts'
import type { Message } from '../../../src/protocol/message.ts'
import { type Cycle, EDITED_AMOUNT, type Effective, PERSON } from './cycle.js'

/** What a tool body wrote down outside the store. */
export interface Effect {
  threadId: string
  tool: Effective
  toolCallId: string
  idempotencyKey: string
  attempt: number
  pid: number
  args: { turn: number; amount?: number }
}

/** What a worker wrote down after a promise was fulfilled, or when it began. */
export type LogLine = { threadId: string } & (
  | { kind: 'asked'; id: string; reason?: string }
  | { kind: 'decided'; id: string; type: string }
  | { kind: 'completed'; output: string; ms: number }
  | { kind: 'found'; version: number; hash: string }
  | { kind: 'point'; name: string }
)

/** Everything that is known of a thread that was killed and finished. */
export interface Evidence {
  store: Store
  threadId: string
  /** The thread's own, in order. */
  effects: readonly Effect[]
  log: readonly LogLine[]
  cycle: Omit<Cycle, 'effects' | 'bodyMs'>
}

interface Seen {
  entry: Entry
  /** Position in the journal, from 1. */
  seq: number
}

/**
 * Asserts, for a thread that is finished, all that is promised however often its processes were killed. Returns how often a body was started
 * and nobody knows how it ended.
 */
export async function verifyFinished(evidence: Evidence): Promise<number> {
  const { store, threadId } = evidence
  const chain = await store.readChain(threadId)
  verifyChain(store.tenantId, threadId, chain)
  const seen = chain.map(({ body, seq }) => ({ entry: parseBody(body, { threadId, seq }), seq }))
  verifyNothingLost(evidence, chain, seen)
  verifyQuestions(evidence, seen)
  for (const judged of of(seen, 'call.judged')) verifyCall(evidence, seen, judged.entry.call)
  verifyHistory(evidence, chain)
  const { lease } = await store.read(threadId)
  expect(lease, 'nobody drives a finished thread').toBeNull()
  return of(seen, 'call.started').length - of(seen, 'call.finished').length
}

/** Recomputes every link (5.2). */
export function verifyChain(tenant: string, threadId: string, chain: readonly ChainedEntry[]): void {
  let previous = CHAIN_START
  for (const [index, { seq, at, body, salt, hash }] of chain.entries()) {
    expect(seq).toBe(index + 1)
    const link = chainHash({ tenant, threadId, seq, at }, previous, bodyHash(salt, body))
    expect(Buffer.from(hash).equals(link), `link ${seq} of ${threadId}`).toBe(true)
    previous = hash
  }
}

/** G1: what a promise had told was there when the next process looked, and what it found is still there, byte for byte. */
function verifyNothingLost({ log }: Evidence, chain: readonly ChainedEntry[], seen: readonly Seen[]): void {
  const promised: { what: string; seq: number }[] = []
  for (const line of log) {
    switch (line.kind) {
      case 'asked': {
        const opened = of(seen, 'request.opened').find(({ entry }) => entry.id === line.id)
        expect(opened, `request ${line.id} that was shown`).toBeDefined()
        promised.push({ what: `request ${line.id}`, seq: opened!.seq })
        break
      }
      case 'decided': {
        const decided = of(seen, 'request.decided').find(({ entry }) => entry.id === line.id)
        expect(decided?.entry.decision.type, `the decision on ${line.id}`).toBe(line.type)
        expect(decided?.entry.by).toEqual({ kind: 'person', id: PERSON })
        promised.push({ what: `the decision on ${line.id}`, seq: decided!.seq })
        break
      }
      case 'completed':
        promised.push({ what: 'the end', seq: of(seen, 'run.settled')[0]?.seq ?? Number.POSITIVE_INFINITY })
        break
      case 'found': {
        for (const { what, seq } of promised) expect(seq, `${what} after a restart`).toBeLessThanOrEqual(line.version)
        const hash = createHash('sha256')
        for (const { body } of chain.slice(0, line.version)) hash.update(body)
        expect(hash.digest('hex'), 'what the restarted process found').toBe(line.hash)
        break
      }
      case 'point':
        break
    }
  }
}

/** A restart asks the same question, never a second one; only an unknown outcome is asked about anew. */
function verifyQuestions({ cycle }: Evidence, seen: readonly Seen[]): void {
  const asked = of(seen, 'request.opened')
  const first = asked.filter(({ entry }) => entry.reason === undefined)
  const passedOn = { alone: [], nested: ['cashier'], handoff: ['transfer_to_Cashier'] }[cycle.shape]
  const refunds = Array.from({ length: cycle.turns }, () => 'refund')
  expect(first.map(({ entry }) => entry.toolName)).toEqual([...passedOn, ...refunds])
  for (const { entry } of asked) {
    const decided = of(seen, 'request.decided').filter((other) => other.entry.id === entry.id)
    expect(decided.length, `decisions on ${entry.id}`).toBe(1)
  }
}

/** G2 and 5.7 for one call: what was started, on which release, how often its body really ran, and what followed a crash. */
function verifyCall({ effects, cycle }: Evidence, all: readonly Seen[], call: CallKey): void {
  const seen = all.filter(({ entry }) => 'call' in entry && entry.call === call)
  const releases = of(seen, 'call.released')
  const starts = of(seen, 'call.started')
  const finishes = of(seen, 'call.finished')
  const refusals = of(seen, 'call.refused')
  const tool = toolOf(all, call)
  expect(finishes.length + refusals.length, `results of ${call}`).toBe(1)

  // Each release is spent once at most, in order, and only a policy or a person lets a call run again.
  expect(starts.map(({ entry }) => entry.attempt)).toEqual(starts.map((_, index) => index + 1))
  const spends = seen.filter(({ entry }) => entry.type === 'call.released' || entry.type === 'call.started')
  spends.forEach(({ entry }, index) => {
    expect(entry.type).toBe(index % 2 === 0 ? 'call.released' : 'call.started')
  })
  const policy = tool === 'refund' ? cycle.unknown : tool === 'notify' ? 'retry' : 'ask'
  for (const { entry } of releases.slice(1)) {
    if (entry.by.via === 'retry') {
      expect(policy).toBe('retry')
      continue
    }
    const about = of(seen, 'request.opened').find((opened) => opened.entry.id === entry.request)
    expect(about?.entry.reason, `why ${call} ran again`).toBe('unknown_outcome')
  }

  // What really ran: once per start at most, on one key, with the arguments of the release.
  const keys = new Set(releases.map(({ entry }) => idempotencyKey('default', call, entry.digest)))
  expect(keys.size).toBeLessThanOrEqual(1)
  if (tool === 'cashier') return verifyNested(cycle, all, seen, call)
  const ran = effects.filter((effect) => keys.has(effect.idempotencyKey))
  expect(new Set(ran.map(({ attempt }) => attempt)).size, `runs of ${call} per release`).toBe(ran.length)
  for (const { attempt } of ran) expect(attempt).toBeLessThanOrEqual(starts.length)
  for (const { entry } of finishes) expect(ran.map(({ attempt }) => attempt)).toContain(entry.attempt)
  if (tool === 'refund') {
    const amount = cycle.decision === 'edit' ? EDITED_AMOUNT : 40
    for (const { args } of ran) expect(args.amount).toBe(amount)
    if (cycle.decision === 'reject' || cycle.decision === 'respond') expect([ran.length, starts.length]).toEqual([0, 0])
  }
  verifyUnknown(seen, policy)
}

/** A nested run has no body: it begins once, is never asked about anew, and each of its turns is in the journal once. */
function verifyNested(cycle: Evidence['cycle'], all: readonly Seen[], seen: readonly Seen[], call: CallKey): void {
  expect(of(seen, 'call.started').map(({ entry }) => entry.frame?.agent)).toEqual([{ id: 'cashier' }])
  expect(of(seen, 'call.finished').length).toBe(1)
  const turns = of(all, 'model.answered').filter(({ entry }) => entry.frame === call)
  expect(turns.map(({ entry }) => entry.turn)).toEqual(Array.from({ length: cycle.turns + 1 }, (_, index) => index + 1))
}

/** A start that nobody finished was dealt with as the tool says, and nothing else was. */
function verifyUnknown(seen: readonly Seen[], policy: Cycle['unknown']): void {
  const after = { ask: 'request.opened', retry: 'call.released', fail: 'call.refused' } as const
  for (const [index, { entry }] of seen.entries()) {
    if (entry.type !== 'call.started') continue
    const next = seen[index + 1]?.entry
    if (next?.type === 'call.finished') {
      expect(next.attempt).toBe(entry.attempt)
      continue
    }
    expect(next?.type, `what follows an unknown outcome under '${policy}'`).toBe(after[policy])
    if (next?.type === 'request.opened') expect(next.reason).toBe('unknown_outcome')
    if (next?.type === 'call.refused') expect(next.cause).toBe('unknown')
  }
}

/** G6: one result for each call, in call order, and an answer at the end. No effect that the journal does not know. */
function verifyHistory({ store, threadId, cycle, effects }: Evidence, chain: readonly ChainedEntry[]): void {
  const state = emptyState(store.tenantId, threadId)
  const keys = new Set<string>()
  const nested = new Map<string, readonly Message[]>()
  for (const { body, at, seq } of chain) {
    const entry = parseBody(body, { threadId, seq })
    apply(state, entry, at)
    if (entry.type === 'call.released') keys.add(idempotencyKey(store.tenantId, entry.call, entry.digest))
    for (const frame of state.run?.frames.values() ?? [])
      if (frame.key !== state.run?.id) nested.set(frame.key, frame.messages.all)
  }
  for (const effect of effects) expect([...keys]).toContain(effect.idempotencyKey)
  const inOrder = ['user', ...rolesOf(cycle), 'assistant']
  const work = [...nested.values()]
  if (cycle.shape === 'nested') expect(work.map(verifyMessages)).toEqual([inOrder])
  else expect(work).toEqual([])
  const passedOn = {
    alone: inOrder,
    nested: ['user', 'assistant', 'tool', 'assistant'],
    handoff: ['user', 'assistant', 'tool', ...inOrder.slice(1)],
  }
  expect(verifyMessages(state.messages.all)).toEqual(passedOn[cycle.shape])
  expect(state.run?.status).toBe('completed')
  const said = `done after ${cycle.turns * 3} results`
  expect((work[0] ?? state.messages.all).at(-1)?.content).toBe(said)
  if (cycle.shape === 'nested')
    expect(state.messages.all.map(({ content }) => content).slice(2)).toEqual([said, 'done after 1 results'])
}

function rolesOf({ turns }: Evidence['cycle']): Message['role'][] {
  const turn: Message['role'][] = ['assistant', 'tool', 'tool', 'tool']
  return Array.from({ length: turns }, () => turn).flat()
}

/** Every call's result comes right after it, in order. Returns the roles. */
function verifyMessages(messages: readonly Message[]): Message['role'][] {
  messages.forEach((message, index) => {
    if (message.role !== 'assistant' || !message.toolCalls) return
    const results = messages.slice(index + 1, index + 1 + message.toolCalls.length)
    expect(results.map((result) => (result.role === 'tool' ? result.toolCallId : ''))).toEqual(
      message.toolCalls.map(({ id }) => id),
    )
  })
  return messages.map(({ role }) => role)
}

function toolOf(seen: readonly Seen[], call: CallKey): string | undefined {
  const at = call.slice(call.lastIndexOf('/') + 1).split('.')
  const answered = of(seen, 'model.answered').find(
    ({ entry }) => entry.frame === frameOf(call) && entry.turn === Number(at[0]),
  )
  return answered?.entry.message.toolCalls?.[Number(at[1])]?.name
}

function of<T extends Entry['type']>(seen: readonly Seen[], type: T): { entry: EntryOf<T>; seq: number }[] {
  return seen.filter((each): each is { entry: EntryOf<T>; seq: number } => each.entry.type === type)
}
