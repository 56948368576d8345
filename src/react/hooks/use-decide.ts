import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { DecideInput } from '../../client/v1/inbox-client.ts'
import type { AnswerBody, BulkBody, BulkResult, RequestItem } from '../../protocol/api/requests.ts'
import type { Decision } from '../../protocol/decision.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import { useStore } from '../provider.tsx'
import type { ActiveVerdict, VerdictState } from '../store/verdict-log.ts'

/** What goes with a decision. */
export type DecideOptions = Pick<DecideInput, 'comment' | 'always' | 'undoSeconds'>

/** Deciding, and how far each decision of this window has got. */
export interface Deciding {
  /** Decides an `approve` request as it was seen. Resolves when it is stored, held or refused; it never throws. */
  decide: (request: RequestItem, decision: Decision, options?: DecideOptions) => Promise<VerdictState>
  /** Answers a `confirm` or an `ask` as it was seen. */
  answer: (request: RequestItem, value: JsonValue, options?: Pick<AnswerBody, 'comment'>) => Promise<VerdictState>
  /** Closes a `confirm` or an `ask` as it was seen, because it cannot be answered. The agent reads the reason. */
  cancel: (request: RequestItem, reason: string) => Promise<VerdictState>
  /** Decides several requests as they were seen. Each has its own outcome. */
  decideAll: (requests: readonly RequestItem[], body: Omit<BulkBody, 'items'>) => Promise<BulkResult['outcomes']>
  /** Takes a decision back inside of its undo window. */
  undo: (id: string) => Promise<VerdictState>
  /** Sends a decision that was held, if its request is still open and as it was seen. */
  sendHeld: (id: string) => Promise<VerdictState>
  /** Tries a failed decision again with the same idempotency key. */
  retry: (id: string) => Promise<VerdictState>
  /** Forgets a decision that is not under way: a held one is never sent. What was stored stays stored. */
  discard: (id: string) => void
  /** How far the decision about a request has got. */
  of: (id: string) => VerdictState
  /** All decisions of this window that are not forgotten, oldest first. */
  all: readonly ActiveVerdict[]
}

const NONE: ReadonlyMap<string, ActiveVerdict> = new Map()

/** Deciding. A decision shows as `undoable` or `done` only after the server has stored it; without a connection it is `held` and not sent. */
export function useDecide(): Deciding {
  const { verdicts } = useStore()
  const states = useSyncExternalStore<ReadonlyMap<string, ActiveVerdict>>(
    verdicts.watch,
    () => verdicts.snapshot,
    () => NONE,
  )
  const decide = useCallback<Deciding['decide']>(
    (request, decision, options = {}) => verdicts.send(request, { kind: 'decide', decision, ...options }),
    [verdicts],
  )
  const answer = useCallback<Deciding['answer']>(
    (request, value, options = {}) => verdicts.send(request, { kind: 'answer', answer: value, ...options }),
    [verdicts],
  )
  const cancel = useCallback<Deciding['cancel']>(
    (request, reason) => verdicts.send(request, { kind: 'cancel', reason }),
    [verdicts],
  )
  return useMemo(
    () => ({
      decide,
      answer,
      cancel,
      decideAll: verdicts.sendAll,
      undo: verdicts.withdraw,
      sendHeld: verdicts.sendHeld,
      retry: verdicts.retry,
      discard: verdicts.discard,
      of: (id) => states.get(id) ?? { state: 'idle' },
      all: [...states.values()],
    }),
    [verdicts, states, decide, answer, cancel],
  )
}
