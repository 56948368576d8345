import { NEVER } from '../ports/signals.ts'
import { requireSignal } from '../protocol/checks/check-options.ts'
import { isDuration } from '../protocol/checks/durations.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { callState, NEVER_JUDGED } from './call-state.ts'
import type { CallThread } from './call-thread.ts'
import type { Calls } from './calls.ts'
import type { ForeignCall, GateState, GateWaitOptions } from './types.ts'

/** How often a call is looked at that runs somewhere: its process may die without a word. */
const LOOK_MS = 1_000

/** How often a held call looks for grants: they are given in other threads, whose changes are not told here. */
const GRANTS_MS = 2_000

/** Waits until a call is neither held nor running. Resolves with what it is when the time is over. */
export async function waitFor(calls: Calls, call: ForeignCall, options: GateWaitOptions): Promise<GateState> {
  requireKnown('wait()', options, ['signal', 'timeoutSeconds'])
  const { signal = NEVER, timeoutSeconds = calls.settings.holdSeconds } = options
  requireSignal('wait()', options.signal)
  if (!isDuration(timeoutSeconds)) throw new InputInvalid('timeoutSeconds of wait() must be a number of seconds.')
  signal.throwIfAborted()
  const found = await calls.find(call)
  if (!found) return NEVER_JUDGED
  const { thread } = found
  const end = thread.journal.now() + timeoutSeconds * 1000
  for (;;) {
    await thread.look()
    const state = await callState(thread)
    const now = thread.journal.now()
    if (!isWaiting(state) || now >= end) {
      await thread.deliver()
      return state
    }
    await change(thread, Math.min(end, now + lookMs(state)), signal)
    signal.throwIfAborted()
  }
}

function isWaiting({ status }: GateState): boolean {
  return status === 'held' || status === 'unknown'
}

/** When a call is looked at again though its journal says nothing. */
function lookMs(state: GateState): number {
  if (state.status === 'unknown') return state.request ? Number.POSITIVE_INFINITY : LOOK_MS
  return GRANTS_MS
}

/** Waits until the journal changes, a deadline or an undo window ends, or the time is over. */
async function change(thread: CallThread, end: number, signal: AbortSignal): Promise<void> {
  const { journal } = thread
  const done = new AbortController()
  const either = signal === NEVER ? done.signal : AbortSignal.any([signal, done.signal])
  const step = thread.nextStep()
  const until = step.do === 'await-time' || step.do === 'await-people' ? step.until : undefined
  const { threadId, version } = journal.state
  try {
    await Promise.race([
      journal.store.changed(threadId, { after: version, signal: either }),
      journal.until(Math.min(end, until ?? end), either),
    ])
  } finally {
    done.abort()
  }
}
