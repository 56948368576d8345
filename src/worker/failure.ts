import { commit } from '../desk/record/commit.ts'
import type { Queue, WakeUp } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'
import { type ErrorCode, HoldpointError, isThreadErased, messageOf } from '../protocol/errors/errors.ts'
import { backOff } from './back-off.ts'
import type { WorkerListener } from './events.ts'
import { routeOf } from './shared/routes.ts'
import { deleteDeadLetter, putDeadLetter } from './shared/stuck.ts'

/** What recording a failure needs. */
export interface FailureParts {
  readonly store: Store
  readonly queue: Queue
  /** How often a failed drive is tried again. */
  readonly retries: number
  readonly random: () => number
  readonly onEvent: WorkerListener
}

const LONGEST_MESSAGE = 2000

/**
 * Records that driving a thread failed: its wake mark moves to a later time or, after the last try, is cleared, with a dead letter for operators. The
 * letter comes first, so that a thread without a mark always has one.
 */
export async function recordFailure(parts: FailureParts, wakeUp: WakeUp, error: unknown): Promise<void> {
  const { tenantId, threadId } = wakeUp
  const { queue, onEvent } = parts
  const failed = await commit(`The failure of thread ${threadId}`, () => recordOnce(parts, wakeUp, error)).catch(
    async (reason: unknown) => {
      if (!isThreadErased(reason)) throw reason
      // It was erased meanwhile: nothing of it may stay.
      await parts.store.tenant(tenantId).writeRecords([deleteDeadLetter(threadId)])
    },
  )
  if (!failed) return
  const { tries, retryInMs, route } = failed
  if (retryInMs === null) return onEvent({ type: 'dead', tenantId, threadId, error, tries })
  onEvent({ type: 'failed', tenantId, threadId, error, tries, retryInMs })
  await queue.ring({ tenantId, threadId, route }, { delayMs: retryInMs })
}

/** A failure that was recorded. `retryInMs` is `null` after the last try. */
interface Failed {
  readonly tries: number
  readonly retryInMs: number | null
  readonly route: string
}

async function recordOnce(
  { store: all, retries, random }: FailureParts,
  { tenantId, threadId }: WakeUp,
  error: unknown,
): Promise<{ done: Failed | undefined } | undefined> {
  const store = all.tenant(tenantId)
  const { wake, now, version } = await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })
  const { agent, agentVersion } = wake
  // Somebody else drove it, or only people can move it now.
  if (wake.at === null || agent === null) return { done: undefined }
  const tries = wake.tries + 1
  const retryInMs = tries > retries || isFinal(error) ? null : backOff(tries, random)
  if (retryInMs === null) {
    const letter = { error: tell(error), tries, agent, version: agentVersion, length: version }
    await store.writeRecords([putDeadLetter(threadId, letter)])
  }
  const change = retryInMs === null ? { at: null } : { at: now + retryInMs, tries }
  const { ok } = await store.append({ threadId, version, entries: [], wake: { op: 'set', ...change } })
  return ok ? { done: { tries, retryInMs, route: routeOf(agent, agentVersion) } } : undefined
}

/** Failures of this process, not of the thread: another worker may have no such trouble. */
const LOCAL: readonly ErrorCode[] = [
  'store_behind',
  'store_closed',
  'store_missing',
  'store_newer',
  'store_outdated',
  'thread_closed',
]

/** Whether trying again cannot help: somebody must change something first. */
function isFinal(error: unknown): boolean {
  return HoldpointError.isInstance(error) && !error.retryable && !LOCAL.includes(error.code)
}

function tell(error: unknown): { code?: string; message: string } {
  const message = messageOf(error).replaceAll('\0', '').slice(0, LONGEST_MESSAGE)
  return HoldpointError.isInstance(error) ? { code: error.code, message } : { message }
}
