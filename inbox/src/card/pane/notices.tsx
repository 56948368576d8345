import type { RequestDetail, RequestItem } from 'holdpoint/client'
import { ApiError } from 'holdpoint/client'
import type { Difference } from 'holdpoint/react'
import type { ReactNode } from 'react'
import { formatField } from '../../../../src/core/display/format.ts'
import type { JsonValue } from '../../../../src/protocol/json/json.ts'
import { useFormat, useInboxWords } from '../../i18n/i18n.tsx'
import { Ago } from '../../queue/deadline.tsx'
import { Icon, type IconName } from '../../shell/icon.tsx'
import type { Standing } from '../../verdict/standing.ts'
import { reviewersText } from '../context/reviewers.ts'
import { type Fact, FactTable } from '../facts.tsx'
import { fieldAt } from '../headline.ts'
import { SafeText } from '../values/safe-text.tsx'
import { asksAgain } from './asks-again.ts'

interface NoticeProps {
  icon: IconName
  tone?: 'warn' | 'danger'
  title: ReactNode
  /** It came up while the person was reading. */
  live?: boolean
  children?: ReactNode
}

/** A message inside of a card. */
export function Notice({ icon, tone, title, live = false, children }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone} role={live ? 'status' : 'note'}>
      <Icon name={icon} />
      <div>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  )
}

/** A difference as people read it: amounts as amounts. */
function factOf({ path, from, to }: Difference, request: RequestItem, locale: string): Fact {
  const name = path.replace(/^args\./, '')
  const field = fieldAt(request, name)
  const write = (value: JsonValue | undefined) =>
    name === path || value === undefined
      ? value
      : (formatField(field, { ...request.args, [name]: value }, { locale }) ?? value)
  return { name, before: write(from), now: write(to), changed: true }
}

/** Why a request cannot be decided, or what became of it. What was being read stays readable below. */
export function StandingNotice({ standing, detail, me }: { standing: Standing; detail: RequestDetail; me: string }) {
  const {
    verdict: { states },
    queue,
    card,
  } = useInboxWords()
  const { locale } = useFormat()
  const who = reviewersText(detail.request, card)
  switch (standing.kind) {
    case 'open':
    case 'sending':
      return null
    case 'denied':
      return (
        <Notice icon="lock" title={states.denied}>
          <p>{who === undefined ? states.deniedNobody : <SafeText text={states.deniedText(who)} />}</p>
        </Notice>
      )
    case 'held':
      return standing.perhaps ? (
        <Notice icon="offline" tone="warn" live title={states.error}>
          <p>{states.errorText}</p>
        </Notice>
      ) : (
        <Notice icon="offline" tone="warn" live title={states.held} />
      )
    case 'refused':
      return <Refused error={standing.error} />
    case 'decided':
      return (
        <Notice
          icon="person"
          live={standing.reading}
          title={
            standing.by === me ? (
              states.decidedByYou(queue.outcome[standing.outcome])
            ) : (
              <SafeText text={states.decidedBy(standing.by ?? '…', queue.outcome[standing.outcome])} />
            )
          }
        >
          <p>
            {standing.at !== undefined && <Ago at={standing.at} />}
            {standing.reading && standing.by !== me ? states.whileReading : '.'}
          </p>
        </Notice>
      )
    case 'expired':
      return (
        <Notice icon="clock" live={standing.reading} title={standing.reading ? states.expired : states.expiredPlain}>
          <p>{states.expiredText}</p>
        </Notice>
      )
    case 'closed':
      return <Closed {...standing} me={me} />
    case 'replaced':
    case 'changed': {
      const { kind, differences } = standing
      const facts = differences.map((difference) => factOf(difference, detail.request, locale))
      return (
        <Notice icon="pen" live title={kind === 'replaced' ? states.replaced : states.changed}>
          <p>{kind === 'replaced' ? states.replacedText : states.changedText}</p>
          {facts.length > 0 && (
            <FactTable
              facts={facts}
              heads={[card.field, card.reads, kind === 'replaced' ? card.newRequest : card.now]}
            />
          )}
        </Notice>
      )
    }
    default:
      return standing satisfies never
  }
}

function Refused({ error }: { error: unknown }) {
  const {
    verdict: { states },
  } = useInboxWords()
  const problems = error instanceof ApiError ? (error.problems ?? []) : []
  const detail =
    error instanceof ApiError
      ? error.detail
      : error instanceof Error
        ? error.message
        : String((error as { detail?: unknown })?.detail ?? error)
  return (
    <Notice icon="x" tone="warn" live title={states.refused}>
      <p>
        <SafeText text={detail} />
      </p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            <SafeText text={problem} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}

interface ClosedProps {
  request: RequestItem
  outcome: 'cancelled' | 'aborted'
  me: string
}

/** It was closed without an answer. By a person: who, and what the agent was told. */
function Closed({ request: { kind, closed }, outcome, me }: ClosedProps) {
  const {
    verdict: { states },
  } = useInboxWords()
  const by = closed?.by.kind === 'person' ? closed.by.id : undefined
  const title = by === undefined ? states[outcome] : by === me ? states.cancelledByYou : states.cancelledBy(by)
  const reason = by === undefined ? undefined : closed?.reason
  return (
    <Notice icon="x" live title={<SafeText text={title} />}>
      <p>{kind === 'approve' ? states.closedText : states.closedQuestion}</p>
      {reason !== undefined && (
        <p>
          <SafeText text={states.cancelledTold(reason)} />
        </p>
      )}
    </Notice>
  )
}

/** What a person must know before reading on: it is asked again, nobody could act on a decision now, or it hides text. */
export function Warnings({ detail: { request, resumable } }: { detail: RequestDetail }) {
  const { card } = useInboxWords()
  return (
    <>
      {request.reason !== undefined && (
        <Notice icon="undo" tone="warn" title={asksAgain(request) ? card.again : card.note}>
          <p>{card.reasons[request.reason] ?? card.otherReason(request.reason)}</p>
        </Notice>
      )}
      {request.problems !== undefined && (
        <Notice icon="x" tone="warn" title={card.problems}>
          <ul>
            {request.problems.map((problem) => (
              <li key={problem}>
                <SafeText text={problem} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {request.status === 'open' && resumable?.live === false && (
        <Notice icon="clock" tone="warn" title={card.noWorker}>
          <p>
            <SafeText text={card.noWorkerText(resumable.agent, resumable.version)} />
          </p>
        </Notice>
      )}
      {request.escalated === true && <Notice icon="clock" tone="warn" title={card.escalated} />}
      {request.hidden > 0 && (
        <Notice icon="eye" tone="danger" title={card.hiddenTitle}>
          <p>{card.hiddenText(request.hidden)}</p>
        </Notice>
      )}
    </>
  )
}
