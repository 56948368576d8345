import { idempotencyKey } from '../../../src/core/digest.ts'
import { apply } from '../../../src/core/fold/fold.ts'
import { emptyState, type ThreadState } from '../../../src/core/state.ts'
import type { ChainedEntry } from '../../../src/ports/stored-entry.ts'
import { bodyHash, CHAIN_START, chainHash } from '../../../src/protocol/chain/chain.ts'
import type { Entry } from '../../../src/protocol/entries/entry.ts'
import { parseBody } from '../../../src/protocol/entries/versions.ts'
import { checkBudgets } from './budgets.ts'
import { checkCalls } from './calls.ts'
import { checkErased } from './erased.ts'
import type { Acknowledged, Effect, ErasedThread, Evidence } from './evidence.ts'
import { checkTenant } from './tenants.ts'
import { checkVersion } from './versions.ts'

/** A thread's journal, read back. */
export interface Story {
  readonly threadId: string
  readonly entries: readonly { entry: Entry; at: number }[]
  readonly state: ThreadState
  /** Why the journal does not fold. `state` is as far as it does. */
  readonly unfolded?: unknown
  /** It was erased, and this is how it was just before. */
  readonly isErased?: boolean
}

/**
 * Checks every guarantee on what is left when nothing happens any more. Returns what is wrong. It knows nothing of how the evidence came about, so
 * simulated and real processes are judged alike.
 */
export async function check(evidence: Evidence): Promise<string[]> {
  const problems: string[] = []
  const stories: Story[] = []
  for (const threadId of evidence.threads) {
    const was = evidence.erased?.find((each) => each.threadId === threadId)
    const chain = was?.chain ?? (await evidence.store.readChain(threadId))
    problems.push(...checkChain(evidence.store.tenantId, threadId, chain))
    const story = readStory(evidence.store.tenantId, threadId, chain)
    stories.push(was ? { ...story, isErased: true } : story)
    if (was) problems.push(...(await checkErased(was, evidence)))
    if (story.unfolded !== undefined) problems.push(`every journal folds: ${threadId}: ${story.unfolded}`)
  }
  if (evidence.isOver) problems.push(...stories.flatMap(checkEnd))
  for (const story of stories) problems.push(...checkCalls(story, evidence), ...checkVersion(story, evidence))
  problems.push(...checkAcknowledged(stories, evidence), ...checkBudgets(stories), ...checkKnown(stories, evidence))
  problems.push(...checkTenant(stories, evidence))
  return problems
}

/** Checks several tenants of a store: each by itself, on what was done and said for it. */
export async function checkAll(
  tenants: readonly { tenantId: string; threads: readonly string[]; people: readonly string[] }[],
  { store, effects, acknowledged, erased = [], isOver }: Omit<Evidence, 'threads' | 'people'>,
): Promise<string[]> {
  const problems: string[] = []
  for (const { tenantId, ...own } of tenants) {
    const ofTenant = (each: Effect | Acknowledged | ErasedThread): boolean => each.tenantId === tenantId
    const seen = { effects: effects.filter(ofTenant), acknowledged: acknowledged.filter(ofTenant) }
    const gone = { erased: erased.filter(ofTenant), isOver }
    const found = await check({ store: store.tenant(tenantId), ...own, ...seen, ...gone })
    problems.push(...found.map((problem) => `${problem} (tenant ${tenantId})`))
  }
  return problems
}

function readStory(tenant: string, threadId: string, chain: readonly ChainedEntry[]): Story {
  const state = emptyState(tenant, threadId)
  const entries = chain.map(({ body, at, seq }) => ({ entry: parseBody(body, { threadId, seq }), at }))
  try {
    for (const { entry, at } of entries) apply(state, entry, at)
  } catch (error) {
    return { threadId, entries, state, unfolded: error }
  }
  return { threadId, entries, state }
}

function checkChain(tenant: string, threadId: string, chain: readonly ChainedEntry[]): string[] {
  let previous = CHAIN_START
  for (const { seq, at, body, salt, hash } of chain) {
    const link = chainHash({ tenant, threadId, seq, at }, previous, bodyHash(salt, body))
    if (Buffer.compare(hash, link) !== 0) return [`every chain verifies: link ${seq} of ${threadId}`]
    previous = hash
  }
  return []
}

/** Nothing is stuck: every run has come to its end. Erasing a thread may have aborted it. */
function checkEnd({ threadId, state, isErased }: Story): string[] {
  if (state.run === undefined || state.run === null) return [`nothing is lost: ${threadId} has no run`]
  if (isErased && state.run.status === 'aborted') return []
  return state.run.status === 'completed' ? [] : [`nothing is stuck: ${threadId} is ${state.run.status}`]
}

/** Every decision that a person was told to be made is in the journal. */
function checkAcknowledged(stories: readonly Story[], { acknowledged }: Evidence): string[] {
  const all = stories.flatMap(({ entries }) => entries)
  const threadOf = (request: string): string | undefined =>
    stories.find(({ entries }) => entries.some(({ entry }) => entry.type === 'request.opened' && entry.id === request))
      ?.threadId
  return acknowledged.flatMap(({ kind, request, type }) => {
    if (all.some(({ entry }) => 'id' in entry && entry.id === request && tellsOf(entry, { kind, type }))) return []
    return [`no decision is lost: ${type} of ${request} in ${threadOf(request)} was acknowledged as ${kind}`]
  })
}

function tellsOf(entry: Entry, { kind, type }: Pick<Acknowledged, 'kind' | 'type'>): boolean {
  switch (kind) {
    case 'decided':
      return entry.type === 'request.decided' && entry.decision.type === type
    case 'answered':
      return entry.type === 'request.answered' && JSON.stringify(entry.answer) === type
    case 'withdrawn':
      return entry.type === 'request.reopened' && entry.cause === 'withdrawn'
    default:
      return kind satisfies never
  }
}

/** Nothing has run that the journal does not know. */
function checkKnown(stories: readonly Story[], { effects, store }: Evidence): string[] {
  const keys = new Set(
    stories.flatMap(({ entries }) =>
      entries.flatMap(({ entry }) =>
        entry.type === 'call.released' ? [idempotencyKey(store.tenantId, entry.call, entry.digest)] : [],
      ),
    ),
  )
  return effects
    .filter(({ key }) => !keys.has(key))
    .map(({ tool, threadId }) => `only what was released runs: ${tool} of ${threadId}`)
}
