import type { Me, RequestDetail } from 'holdpoint/client'
import type { Deciding } from 'holdpoint/react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { go } from '../../app/use-route.ts'
import { type Edit, useEdit } from '../../edit/use-edit.ts'
import { useFormat, useInboxWords } from '../../i18n/i18n.tsx'
import { takeFocus } from '../../keyboard/typing.ts'
import { AskBar, ConfirmBar } from '../../verdict/answer-bar.tsx'
import { type AnswerDrafts, AskForm, readAnswers } from '../../verdict/ask-form.tsx'
import { ClosedBar } from '../../verdict/closed-bar.tsx'
import { useDraft } from '../../verdict/drafts.tsx'
import { type GrantDraft, grantSentence, newGrant, toGrant } from '../../verdict/grant-draft.ts'
import type { Mode } from '../../verdict/mode.ts'
import { Offer } from '../../verdict/offer.tsx'
import { Panel } from '../../verdict/panel.tsx'
import type { Standing } from '../../verdict/standing.ts'
import { useRested } from '../../verdict/use-rested.ts'
import { type Send, useSend } from '../../verdict/use-send.ts'
import { ApproveBar } from '../../verdict/verdict-bar.tsx'
import { Card } from '../card.tsx'
import { CardHead, type Place } from '../card-head.tsx'
import { Section } from '../section.tsx'
import { Pane } from './pane.tsx'

const NO_ANSWERS: AnswerDrafts = {}

const EditForm = lazy(() => import('../../edit/edit-form.tsx'))

interface OpenRequestProps {
  detail: RequestDetail
  standing: Standing
  deciding: Deciding
  me: Me
  place: Place
  focus: boolean
  offline: boolean
  onDecided: (id: string) => void
  onShowNow: () => void
  below: ReactNode
}

/**
 * A loaded request with all that was typed about it, also before the person went elsewhere and came back. Another version starts anew: nothing typed for
 * the old one is sent with it.
 */
export function OpenRequest({
  detail,
  standing,
  deciding,
  me,
  place,
  focus,
  offline,
  onDecided,
  onShowNow,
  below,
}: OpenRequestProps) {
  const { request } = detail
  const about = `${request.id}@${request.version}`
  const [mode, setMode] = useDraft<Mode>(`${about} mode`, 'read')
  // A form that is there again leaves the focus where it is: the next key may be one of the page.
  const [opened, setOpened] = useState(false)
  const [grant, setGrant] = useState(() => newGrant(detail))
  const [answers, setAnswers] = useDraft<AnswerDrafts>(`${about} answers`, NO_ANSWERS)
  const edit = useEdit(detail, mode === 'edit')
  const heading = useRef<HTMLHeadingElement>(null)
  const resting = !useRested(`${about} ${standing.kind}`)
  const send = useSend({ detail, deciding, onDecided })
  useEffect(() => {
    if (focus) takeFocus(heading.current)
  }, [focus])
  const changeMode = (next: Mode) => {
    if (next === 'read') edit.reset()
    setMode(next)
    setOpened(true)
    if (next === 'read') heading.current?.focus({ preventScroll: true })
  }
  const open = standing.kind === 'open' || standing.kind === 'sending' || standing.kind === 'refused'
  const editing = open && mode === 'edit' ? edit : undefined
  const ask = request.kind === 'ask' ? readAnswers(request.questions ?? [], answers) : undefined
  const state = {
    detail,
    mode,
    opened,
    resting,
    offline,
    sending: standing.kind === 'sending',
    edit: editing,
    grant,
    ask,
    send,
    undoSeconds: me.undoSeconds,
  }
  const bar =
    standing.kind === 'open' || standing.kind === 'sending' || standing.kind === 'refused' ? (
      <OpenBar state={state} onMode={changeMode} />
    ) : (
      <ClosedBar
        standing={standing}
        online={!offline}
        resting={resting}
        onNext={() => place.onStep(1)}
        onOpen={(id) => go({ view: 'inbox', id })}
        onShowNow={onShowNow}
        onSendHeld={() => void send.held()}
        onDrop={() => deciding.discard(request.id)}
      />
    )
  return (
    <Pane bar={bar}>
      <article className="card">
        <CardHead request={request} place={place} />
        <Card
          detail={detail}
          standing={standing}
          me={me.id}
          heading={heading}
          edited={editing && editing.changed.length > 0 ? editing.args : undefined}
          form={
            (editing || (ask && open)) && (
              <CardForm state={state} answers={answers} onAnswers={setAnswers} previews={me.previews} />
            )
          }
          offer={
            open &&
            mode === 'read' &&
            detail.offers.length > 0 && <Offer detail={detail} draft={grant} onChange={setGrant} />
          }
        />
      </article>
      {below}
    </Pane>
  )
}

/** What a bar or a form needs of the request that is being decided. */
interface OpenState {
  detail: RequestDetail
  mode: Mode
  /** The form was opened just now. */
  opened: boolean
  resting: boolean
  offline: boolean
  sending: boolean
  edit: Edit | undefined
  grant: GrantDraft
  ask: ReturnType<typeof readAnswers> | undefined
  send: Send
  undoSeconds: number
}

interface CardFormProps {
  state: OpenState
  answers: AnswerDrafts
  onAnswers: (answers: AnswerDrafts) => void
  previews: boolean
}

function CardForm({ state, answers, onAnswers, previews }: CardFormProps) {
  const { card } = useInboxWords()
  const { detail, edit, ask, send, sending, resting, opened } = state
  if (edit)
    return (
      <Suspense fallback={<span className="skeleton skeleton-box" />}>
        <EditForm
          detail={detail}
          edit={edit}
          previews={previews}
          focus={opened}
          onSend={() => edit.ready && !sending && !resting && send.edit(edit)}
        />
      </Suspense>
    )
  if (!ask) return null
  return (
    <Section title={card.questions}>
      <AskForm
        questions={detail.request.questions ?? []}
        drafts={answers}
        onChange={onAnswers}
        onSend={() => ask.missing.length === 0 && !sending && !resting && send.answer(ask.value)}
      />
    </Section>
  )
}

function OpenBar({ state, onMode }: { state: OpenState; onMode: (mode: Mode) => void }) {
  const { verdict } = useInboxWords()
  const format = useFormat()
  const { detail, mode, opened, resting, offline, sending, edit, grant, ask, send, undoSeconds } = state
  const common = { resting, offline, sending }
  if (mode === 'reject' || mode === 'respond' || mode === 'cancel')
    return (
      <Panel
        about={`${detail.request.id}@${detail.request.version}`}
        kind={mode}
        focus={opened}
        resting={resting}
        sending={sending}
        onBack={() => onMode('read')}
        onSend={(words) => (mode === 'cancel' ? send.cancel(words.told) : send.words(mode, words))}
      />
    )
  if (ask)
    return (
      <AskBar
        {...common}
        missing={ask.missing.length}
        onSend={() => send.answer(ask.value)}
        onNo={() => onMode('cancel')}
      />
    )
  if (detail.request.kind === 'confirm')
    return (
      <ConfirmBar
        {...common}
        prompt={detail.request.prompt ?? detail.request.title}
        onAnswer={(yes) => send.answer(yes)}
      />
    )
  return (
    <ApproveBar
      {...common}
      detail={detail}
      edit={edit}
      grant={grant.on && !edit ? grantSentence(detail, grant, { words: verdict.offer, format }) : undefined}
      undoSeconds={undoSeconds}
      onMode={onMode}
      onApprove={() => (edit ? send.edit(edit) : send.approve(grant.on ? toGrant(detail, grant) : undefined))}
    />
  )
}
