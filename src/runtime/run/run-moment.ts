import { openRequests } from '../../core/queries.ts'
import type { Run, ThreadState } from '../../core/state.ts'
import { soundHistory } from '../../core/views/history.ts'
import { toInterruption } from '../../core/views/request-view.ts'
import type { GuardrailResult } from '../../protocol/entries/entry.ts'
import { cloneMessages, type Message } from '../../protocol/message.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { Shown } from '../answers/shown.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { itemSource, itemsOf, type RunItem } from './run-items.ts'
import { resultsOf } from './run-view.ts'

/** A run at one moment, copied when it is read. */
export interface RunMoment {
  interruptions(): HitlRequest[]
  history(): Message[]
  newItems(): RunItem[]
  guardrails(type: 'input' | 'output'): GuardrailResult[]
  /** Its open requests were shown. */
  hand(): void
}

/** Keeps what a run is now. */
export function momentOf(
  { state, run }: { state: ThreadState; run: Run },
  { agent, shown }: { agent: AgentDefinition; shown: Shown },
): RunMoment {
  const open = openRequests(state).map((request) => ({ ...request }))
  const items = itemSource(state, run)
  const { guardrails } = run
  const requests = open.map(({ opened, version }) => ({ id: opened.id, version }))
  return {
    interruptions: () => {
      shown.look(requests)
      return open.map((request) => toInterruption(state, request))
    },
    history: () => cloneMessages(soundHistory(state.messages.slice(0, items.end))),
    newItems: () => itemsOf(items, agent),
    guardrails: (type) => resultsOf(guardrails, type),
    hand: () => shown.hand(requests),
  }
}
