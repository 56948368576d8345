import { apply } from '../../core/fold/fold.ts'
import { planWithdrawAll } from '../../core/plan/context.ts'
import { callsOf } from '../../core/queries.ts'
import { type Call, emptyState, type ThreadState } from '../../core/state.ts'
import { projectRequests } from '../../core/views/project.ts'
import { openedRun, wakeAt } from '../../core/wake.ts'
import { decide } from '../../desk/answer/decide.ts'
import { commit } from '../../desk/record/commit.ts'
import type { GrantChange, Store, ThreadSlice } from '../../ports/store.ts'
import type { Actor } from '../../protocol/decision.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { StateDiverged } from '../../protocol/errors/errors.ts'
import type { Grant, GrantOptions } from '../../protocol/grant.ts'
import { frameOf } from '../../protocol/ids.ts'
import { type JsonValue, jsonEqual } from '../../protocol/json/json.ts'
import type { SpanLink } from '../../protocol/trace-context.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { ThreadSeed } from '../../store/memory/data.ts'
import { seededMemoryStore } from '../../store/memory/store.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { ownerOf } from '../frames/frame-agents.ts'
import { Journal } from '../journal/journal.ts'
import { checkEdit } from '../judging/check-edit.ts'
import { judgeCall } from '../judging/judge.ts'
import { policyContextOf } from '../judging/judge-again.ts'
import { adoptContext, isLaterWord } from './adopt-context.ts'

interface Thread {
  tenant: string
  threadId: string
  entries: readonly { at: number; body: string; entry: Entry }[]
}

/** A private store that holds one thread, read from a state text. */
export function seededStore(thread: Thread): Store {
  const rows = new Map<string, ThreadSeed['requests'][number]>()
  const opened = thread.entries.map(({ entry }) => entry)
  for (const change of projectRequests(opened, thread.threadId)) {
    if (change.op === 'open') {
      rows.set(change.row.id, { row: change.row, status: 'open', version: 1, opened: change.entry + 1, changed: null })
    } else {
      const row = rows.get(change.id)
      if (row) Object.assign(row, { status: change.status, version: change.from + 1, changed: change.entry + 1 })
      if (row && change.dropDeadline) Object.assign(row.row, { expiresAt: null })
    }
  }
  const { tenant, threadId, entries } = thread
  return seededMemoryStore({ tenant, threadId, entries, requests: [...rows.values()], grants: seedGrants(thread) })
}

/** The grants of a thread and what was spent of them. Folds the thread only if it has grants. */
function seedGrants({ tenant, threadId, entries }: Thread): NonNullable<ThreadSeed['grants']> {
  if (!entries.some(({ entry }) => entry.type === 'grant.created')) return []
  const state = emptyState(tenant, threadId)
  for (const { entry, at } of entries) apply(state, entry, at)
  return grantsOf(state)
}

function grantsOf(state: ThreadState): NonNullable<ThreadSeed['grants']> {
  return [...state.grants.values()].map(({ grant, at, seq, used, spent, revoked }) => {
    const { id, scope = 'run', run, agent, tool, uses = null, cap, ttlMs } = grant
    const expiresAt = ttlMs === undefined ? null : at + ttlMs
    const row = { id, scope, run, agent, tool, uses, cap: cap?.max ?? null, expiresAt, used, spent }
    return { row, created: seq, revoked }
  })
}

function toChanges({ row, created, revoked }: NonNullable<ThreadSeed['grants']>[number]): GrantChange[] {
  const create = { op: 'create', entry: created - 1, row } as const
  return revoked === null ? [create] : [create, { op: 'revoke', entry: revoked - 1, id: row.id }]
}

/**
 * Imports a state text into a store (5.9). A thread that the store does not have is created. Otherwise the text must continue a prefix of the stored
 * entries, and may add only decisions and a replaced context. Decisions go through the desk, which may refuse them.
 */
export function adopt(from: Journal, to: Adopter): Promise<Journal> {
  return commit(`Thread ${from.state.threadId}`, async () => {
    const done = await tryAdopt(from, to)
    return done && { done }
  })
}

interface Adopter {
  store: Store
  agent: AgentDefinition
  newId: IdSource
  unsigned?: UnsignedText | undefined
}

/** The number of entries that came from an unsigned state text, and whether the caller trusts their decisions. */
export interface UnsignedText {
  entries: number
  trust: boolean
}

/** `undefined`: try again. The thread exists now, created here without its decisions or by another process. */
async function tryAdopt(from: Journal, to: Adopter): Promise<Journal | undefined> {
  const { threadId, tenant } = from.state
  if (tenant !== to.store.tenantId && tenant !== 'default') {
    throw new StateDiverged(
      threadId,
      `the state text belongs to tenant "${tenant}", the store to "${to.store.tenantId}"`,
    )
  }
  const stored = await to.store.read(threadId)
  const { unsigned } = to
  const entries = from.bodies.map(({ body }, index) => {
    const entry = parseBody(body, { threadId, seq: index + 1 })
    return unsigned && index < unsigned.entries ? fromText(entry) : entry
  })
  if (stored.version === 0) return create(from, to, { entries, now: stored.now })
  return addDecisions(from, to, { entries, stored })
}

/** Creates the thread in the store. `undefined` if another process did that first, or if decisions are still to be added: then it is tried again. */
async function create(
  from: Journal,
  to: Adopter,
  { entries, now }: { entries: Entry[]; now: number },
): Promise<Journal | undefined> {
  const { threadId } = from.state
  const { unsigned } = to
  const isWhole = !unsigned || unsigned.trust
  const created = isWhole ? { entries, state: from.state } : await withoutDecisions(from, entries, { ...to, unsigned })
  const run = openedRun(created.entries.filter((entry) => 'run' in entry && entry.run === created.state.run?.id))
  const outcome = await to.store.append({
    threadId,
    version: 0,
    wake: { op: 'set', at: wakeAt(created.state, now) },
    ...(run ? { run } : {}),
    entries: created.entries.map((entry, i) =>
      entry === entries[i] && !unsigned ? from.bodies[i]!.body : JSON.stringify(entry),
    ),
    requests: projectRequests(created.entries, threadId),
    grants: grantsOf(created.state).flatMap(toChanges),
  })
  if (outcome.ok) return isWhole ? Journal.open(to.store, threadId) : undefined
  if (outcome.conflict.kind === 'request' || outcome.conflict.kind === 'grant') {
    throw new StateDiverged(
      threadId,
      `${outcome.conflict.kind} ${outcome.conflict.id} belongs to another thread of the store`,
    )
  }
  return undefined
}

/** Adds the decisions of a state text to the thread that the store has already. */
async function addDecisions(
  from: Journal,
  to: Adopter,
  { entries, stored }: { entries: Entry[]; stored: ThreadSlice },
): Promise<Journal> {
  const { threadId } = from.state
  const { unsigned } = to
  const shared = stored.entries.slice(0, entries.length)
  const differs = shared.findIndex(({ body, seq }, i) => !same(parseBody(body, { threadId, seq }), entries[i]))
  // After the common entries the text may have only decisions and a replaced context.
  const common = differs === -1 ? shared.length : differs
  const trusted = unsigned && !unsigned.trust ? Math.max(common, unsigned.entries) : common
  const beyond = entries.slice(common)
  const foreign = beyond.find((entry) => !isLaterWord(entry, beyond))
  if (foreign)
    throw new StateDiverged(threadId, `the state text has a ${foreign.type} entry that the store does not have`)
  const withdrawn = await adoptContext(to.store, threadId, beyond)
  const standing = beyond.slice(Math.max(withdrawn, trusted - common))
  const decisions = standing.filter((entry) => entry.type === 'request.decided')
  for (const { id, decision, by, version, comment } of decisions) {
    const given = standing.find((entry) => entry.type === 'grant.created' && entry.grant.request === id)
    const always = given?.type === 'grant.created' && termsLeft(from.state, given.grant, stored.now)
    await decide(
      {
        store: to.store,
        newId: to.newId,
        threadId,
        checkEdit: ({ opened }, decision, by) =>
          checkEdit({ agent: to.agent, state: from.state, opened, decision, by }),
      },
      [
        {
          request: id,
          decision,
          by,
          // Withdrawals raise versions too, and the store may have had fewer of them.
          ...(withdrawn > 0 ? {} : { version: version - 1 }),
          ...(always ? { always } : {}),
          ...(comment === undefined ? {} : { comment }),
        },
      ],
    )
  }
  return Journal.open(to.store, threadId)
}

/** The options of a grant in a state text, with the time that is left of it. `false`: it has expired. */
function termsLeft(
  { grants }: ThreadState,
  { id, scope, args, uses, cap, ttlMs }: Grant,
  now: number,
): GrantOptions | false {
  const until = ttlMs === undefined ? undefined : (grants.get(id)?.at ?? 0) + ttlMs
  if (until !== undefined && until <= now) return false
  return {
    ...(scope ? { scope } : {}),
    ...(args ? { args } : {}),
    ...(uses === undefined ? {} : { uses }),
    ...(cap ? { cap } : {}),
    ...(until === undefined ? {} : { expiresInSeconds: (until - now) / 1000 }),
  }
}

/** The thread of an unsigned text, with all its decisions withdrawn that were not acted on. */
async function withoutDecisions(
  from: Journal,
  entries: readonly Entry[],
  { agent, unsigned }: { agent: AgentDefinition; unsigned: UnsignedText },
): Promise<{ entries: Entry[]; state: ThreadState }> {
  const { tenant, threadId } = from.state
  const state = emptyState(tenant, threadId)
  const said = entries.slice(0, unsigned.entries)
  for (const [i, entry] of said.entries()) apply(state, entry, from.bodies[i]!.at)
  const takenBack = planWithdrawAll(state, () => true, TEXT)
  for (const entry of takenBack) apply(state, entry, from.bodies.at(-1)!.at)
  for (const call of callsOf(state)) {
    if (!(await isCleared(agent, state, call))) continue
    throw new StateDiverged(threadId, `an unsigned text lets ${call.tool} run: sign it, or pass trust when you read it`)
  }
  return { entries: [...said, ...takenBack], state }
}

/**
 * Whether a call would run or continue only because an unsigned text says that it was approved. A started call would be entered again or retried, so
 * the agent's own rules must allow it and its body must have no answers.
 */
async function isCleared(root: AgentDefinition, state: ThreadState, call: Call): Promise<boolean> {
  const { key, id, agent, phase, waits } = call
  if (phase.at !== 'started') return phase.at === 'released'
  if (waits.some(({ answer }) => answer?.kind === 'answered')) return true
  const { tool: name, args } = phase.release
  const tool = ownerOf(root, call).findTool(name)
  const frame = state.run?.frames.get(frameOf(key))
  if (!tool || !frame) return true
  const { verdict } = await judgeCall(policyContextOf({ agent: root }, { state, frame }, agent.id), tool, {
    callId: id,
    args,
  })
  return verdict.kind !== 'allow'
}

const TEXT: Actor = { kind: 'system', id: 'text' }

/** Marks the author of an entry as unverified, since it comes from a state text. */
function fromText(entry: Entry): Entry {
  if (entry.type === 'grant.created') return { ...entry, grant: { ...entry.grant, by: toldBy(entry.grant.by) } }
  return 'by' in entry && entry.by ? { ...entry, by: toldBy(entry.by) } : entry
}

function toldBy(by: Actor): Actor {
  return by.kind === 'person' && by.via !== 'retry' ? { ...by, via: 'text' } : by
}

function same(a: Entry, b: Entry | undefined): boolean {
  return jsonEqual(unmarked(a), b && unmarked(b))
}

/** Marks every author and leaves spans out, so that neither makes a difference between two entries. */
function unmarked(entry: Entry): JsonValue {
  const { trace: _trace, ...marked } = fromText(entry) as Entry & { trace?: SpanLink }
  return JSON.parse(JSON.stringify(marked)) as JsonValue
}
