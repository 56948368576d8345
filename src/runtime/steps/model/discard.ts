import type { EntryOf, Usage } from '../../../protocol/entries/entry.ts'
import { GuardrailTripped, ThreadBusy } from '../../../protocol/errors/errors.ts'
import { LeaseLost } from '../../journal/activation.ts'
import type { Turn } from './judge-answer.ts'
import { isStill, type TurnRecorder } from './turn.ts'

/** Left out, usage counts as one request. */
export const NO_USAGE = { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/**
 * Records the usage of an answer that was paid for and not used, and the guardrails' results if one of them tripped. It counts as this turn, or only
 * as cost if the turn was taken or another process drives the thread. If the store is unreachable, nothing is recorded: the failure that led here is
 * reported instead.
 */
export async function discard(parts: TurnRecorder, turn: Turn, usage: Usage | undefined): Promise<void> {
  const { run, frame, number } = turn
  const discarded = { ...discardedBy(turn), ...(usage ? { usage } : {}) }
  await record(parts, turn, { counted: { ...discarded, turn: { frame: frame.key, number } }, discarded, run: run.id })
}

/** For `catch`: records the results of guardrails that tripped where no model was asked. It takes no turn. Throws the error. */
export function recordTripped(parts: TurnRecorder, turn: Turn): (error: unknown) => Promise<never> {
  return async (error) => {
    const unpaid = { ...discardedBy(turn), usage: NO_USAGE }
    if (error instanceof GuardrailTripped) await record(parts, turn, { counted: unpaid, run: turn.run.id })
    throw error
  }
}

type Discarded = EntryOf<'model.discarded'>

function discardedBy({ run, guardrails }: Turn): Discarded {
  const tripped = guardrails.some(({ output }) => output.tripwireTriggered)
  return { v: 1, type: 'model.discarded', run: run.id, ...(tripped ? { guardrails: [...guardrails] } : {}) }
}

async function record(
  { activation }: TurnRecorder,
  turn: Turn,
  { counted, discarded, run }: { counted: Discarded; discarded?: Discarded; run: string },
): Promise<void> {
  try {
    const written = await activation
      .write((state) => (isStill(state, turn) ? { entries: [counted] } : undefined))
      .catch((error: unknown) => {
        if (error instanceof LeaseLost || error instanceof ThreadBusy) return undefined
        throw error
      })
    if (written || !discarded) return
    await activation.report(({ run: now }) =>
      now?.id === run && now.status === 'open' ? { entries: [discarded] } : undefined,
    )
  } catch {
    // The store is unreachable.
  }
}
