import type { RequestDetail } from 'holdpoint/client'
import type { DecideOptions, Deciding, Verdict, VerdictState } from 'holdpoint/react'
import type { Decision } from '../../../src/protocol/decision.ts'
import type { GrantOptions } from '../../../src/protocol/grant.ts'
import type { JsonValue } from '../../../src/protocol/json/json.ts'
import { headlineOf, plainHeadline } from '../card/headline.ts'
import type { Edit } from '../edit/use-edit.ts'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import { useAnnounce } from '../shell/announcer.tsx'
import { useToasts } from './toasts.tsx'

/** What was sent about a request. */
export type Sent = Decision['type'] | 'answer' | 'cancel'

/** What a verdict sends. */
export const sentAs = (verdict: Verdict): Sent => (verdict.kind === 'decide' ? verdict.decision.type : verdict.kind)

/** All the ways to decide a request. */
export interface Send {
  approve: (always?: GrantOptions) => void
  edit: (edit: Edit) => void
  words: (kind: 'reject' | 'respond', words: { told: string; record: string }) => void
  answer: (value: JsonValue) => void
  /** Closes a question without an answer. */
  cancel: (reason: string) => void
  /** Sends what was kept on this device. */
  held: () => Promise<void>
}

interface SendOptions {
  detail: RequestDetail
  deciding: Deciding
  onDecided: (id: string) => void
}

/** Sends decisions about one request as it was read, says what became of them, and goes on once they are stored or kept. */
export function useSend({ detail, deciding, onDecided }: SendOptions): Send {
  const { verdict } = useInboxWords()
  const { locale } = useFormat()
  const announce = useAnnounce()
  const toasts = useToasts()
  const { request } = detail
  const after = (state: VerdictState, what: Sent, args = request.args ?? {}) => {
    const text = verdict.toast[what](plainHeadline(headlineOf(request, { locale, args })))
    if (state.state === 'undoable') toasts.add({ ids: [request.id], text, runs: what === 'approve' || what === 'edit' })
    if (state.state === 'undoable' || state.state === 'done') {
      announce(text)
      onDecided(request.id)
    } else if (state.state === 'held' && !state.perhaps) {
      announce(verdict.states.held)
      onDecided(request.id)
    }
  }
  const decide = async (decision: Decision, options: DecideOptions = {}) =>
    after(
      await deciding.decide(request, decision, options),
      decision.type,
      decision.type === 'edit' ? decision.args : undefined,
    )
  const record = (text: string) => (text === '' ? {} : { comment: text })
  return {
    approve: (always) => void decide({ type: 'approve' }, always ? { always } : {}),
    edit: ({ args, message }) =>
      void decide({ type: 'edit', args, ...(message.trim() === '' ? {} : { message: message.trim() }) }),
    words: (kind, words) =>
      void decide(
        kind === 'respond'
          ? { type: 'respond', message: words.told }
          : { type: 'reject', ...(words.told === '' ? {} : { message: words.told }) },
        record(words.record),
      ),
    answer: (value) => void deciding.answer(request, value).then((state) => after(state, 'answer')),
    cancel: (reason) => void deciding.cancel(request, reason).then((state) => after(state, 'cancel')),
    held: async () => {
      const kept = deciding.of(request.id)
      if (kept.state !== 'held') return
      const { verdict: sent } = kept
      const args = sent.kind === 'decide' && sent.decision.type === 'edit' ? sent.decision.args : undefined
      after(await deciding.sendHeld(request.id), sentAs(sent), args)
    },
  }
}
