import { idempotencyKey } from '../../../src/core/digest.ts'
import type { Entry, EntryOf } from '../../../src/protocol/entries/entry.ts'
import type { Story } from './check.ts'
import type { Evidence } from './evidence.ts'

interface Seen<T extends Entry = Entry> {
  readonly entry: T
  readonly at: number
}

/** Checks each call of a thread: what was decided, released, started, and what really ran. */
export function checkCalls(story: Story, evidence: Evidence): string[] {
  const calls = new Map<string, Seen[]>()
  for (const seen of story.entries) {
    const call = 'call' in seen.entry ? seen.entry.call : undefined
    if (call === undefined) continue
    const own = calls.get(call) ?? []
    own.push(seen)
    calls.set(call, own)
  }
  return [...calls.values()].flatMap((seen) => [
    ...checkStarts(seen, story.threadId),
    ...checkDeadlines(seen, story.threadId),
    ...checkRuns(seen, story, evidence),
  ])
}

/** Each start spends one release, of a decision that stands and whose undo window is over. */
function checkStarts(seen: readonly Seen[], threadId: string): string[] {
  const problems: string[] = []
  let unspent = 0
  let decided: Seen<EntryOf<'request.decided'>> | undefined
  for (const { entry, at } of seen) {
    switch (entry.type) {
      case 'request.decided':
        decided = { entry, at }
        break
      case 'request.reopened':
      case 'request.closed':
        decided = undefined
        break
      case 'call.released':
        unspent += 1
        break
      case 'call.started':
        unspent -= 1
        if (unspent < 0) problems.push(`no release is spent twice: ${entry.call} of ${threadId}`)
        problems.push(...checkDecision(decided, { at, call: entry.call, threadId }))
        break
      default:
    }
  }
  return problems
}

/** People decide and answer before the deadline of a request, and it expires after it. */
function checkDeadlines(seen: readonly Seen[], threadId: string): string[] {
  const deadlines = new Map<string, number>()
  return seen.flatMap(({ entry, at }) => {
    if (entry.type === 'request.opened' && entry.expiresAt !== undefined) deadlines.set(entry.id, entry.expiresAt)
    if (!('id' in entry)) return []
    const deadline = deadlines.get(entry.id) ?? Number.POSITIVE_INFINITY
    const isGiven = entry.type === 'request.decided' || entry.type === 'request.answered'
    if (isGiven && entry.by.kind === 'person' && at >= deadline)
      return [`nothing is decided after its deadline: ${entry.id} of ${threadId}`]
    if (entry.type === 'request.closed' && entry.status === 'expired' && at < deadline)
      return [`nothing expires before its deadline: ${entry.id} of ${threadId}`]
    return []
  })
}

function checkDecision(
  decided: Seen<EntryOf<'request.decided'>> | undefined,
  { at, call, threadId }: { at: number; call: string; threadId: string },
): string[] {
  if (!decided) return []
  const { decision, undoMs = 0 } = decided.entry
  if (decision.type === 'reject' || decision.type === 'respond')
    return [`nothing starts after a ${decision.type}: ${call} of ${threadId}`]
  const early = decided.at + undoMs - at
  return early > 0 ? [`nothing starts inside an undo window: ${call} of ${threadId}, ${early} ms early`] : []
}

/** What really ran: each attempt once, after its start was recorded. */
function checkRuns(seen: readonly Seen[], { threadId }: Story, { effects, store }: Evidence): string[] {
  const keys = new Set(
    seen.flatMap(({ entry }) =>
      entry.type === 'call.released' ? [idempotencyKey(store.tenantId, entry.call, entry.digest)] : [],
    ),
  )
  const starts = new Map(seen.flatMap(({ entry, at }) => (entry.type === 'call.started' ? [[entry.attempt, at]] : [])))
  const ran = effects.filter((effect) => effect.threadId === threadId && keys.has(effect.key))
  const problems: string[] = []
  const attempts = new Set<number>()
  const answers = seen.flatMap(({ entry }) => (entry.type === 'request.answered' ? [JSON.stringify(entry.answer)] : []))
  for (const { tool, attempt, at, args } of ran) {
    if (args.answer !== undefined && !answers.includes(JSON.stringify(args.answer)))
      problems.push(`a body goes on with the answer that was given: ${tool} of ${threadId}`)
    if (attempts.has(attempt))
      problems.push(`no release is started twice: attempt ${attempt} of ${tool} in ${threadId}`)
    attempts.add(attempt)
    const startedAt = starts.get(attempt)
    if (startedAt === undefined || startedAt > at)
      problems.push(`nothing runs before its start is stored: attempt ${attempt} of ${tool} in ${threadId}`)
  }
  // A step that was done before is not done again by a later attempt.
  const hasSteps = seen.some(({ entry }) => entry.type === 'step.finished')
  for (const { entry } of seen)
    if (entry.type === 'call.finished' && !hasSteps && ran.length > 0 && !attempts.has(entry.attempt))
      problems.push(`what has finished has run: attempt ${entry.attempt} of ${entry.call} in ${threadId}`)
  return problems
}
