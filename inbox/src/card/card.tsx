import type { RequestDetail } from 'holdpoint/client'
import type { ReactNode, Ref } from 'react'
import type { JsonObject } from '../../../src/protocol/json/json.ts'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Ago } from '../queue/deadline.tsx'
import { Icon } from '../shell/icon.tsx'
import type { Standing } from '../verdict/standing.ts'
import { reviewersText } from './context/reviewers.ts'
import { wordsIn } from './context/story.tsx'
import { Facts } from './facts.tsx'
import { Headline } from './headline-view.tsx'
import { StandingNotice, Warnings } from './pane/notices.tsx'
import { Preview } from './preview/preview-section.tsx'
import { Section } from './section.tsx'
import { Stakes } from './stakes.tsx'
import { Fields } from './values/fields.tsx'
import { NamedValues } from './values/named-values.tsx'
import { SafeCode, SafeText } from './values/safe-text.tsx'

interface CardProps {
  detail: RequestDetail
  standing: Standing
  me: string
  heading: Ref<HTMLHeadingElement>
  /** The form of an edit or of a question, in place of the arguments. */
  form?: ReactNode
  /** Arguments as they are being edited. */
  edited?: JsonObject | undefined
  /** The offer of a standing decision. */
  offer?: ReactNode
  /** Only the request itself is known yet, not what led to it. */
  partial?: boolean
}

const CLOSED: ReadonlySet<Standing['kind']> = new Set(['decided', 'expired', 'closed', 'replaced'])

/** One request: the effect, the stakes, the cause, and only then the model's own words. */
export function Card({ detail, standing, me, heading, form, edited, offer, partial = false }: CardProps) {
  const { request } = detail
  const closed = CLOSED.has(standing.kind)
  const ran = editedArgs(standing)
  return (
    <>
      <StandingNotice standing={standing} detail={detail} me={me} />
      <Headline request={request} edited={edited ?? ran} heading={heading} />
      <Effect detail={detail} standing={standing} />
      <Warnings detail={detail} />
      <Stakes request={request} closed={closed} />
      <Facts detail={detail} />
      {form || <What detail={detail} closed={closed} ran={ran} />}
      {request.preview !== undefined && edited === undefined && <Preview preview={request.preview} />}
      {!partial && <Why detail={detail} closed={closed} />}
      <Cause detail={detail} />
      <ModelWords text={detail.modelText} />
      {offer}
    </>
  )
}

/** The arguments that a person's edit gave the call. */
function editedArgs(standing: Standing): JsonObject | undefined {
  if (standing.kind !== 'decided') return undefined
  const decision = standing.request.decided?.decision
  return decision?.type === 'edit' ? decision.args : undefined
}

function Effect({ detail: { request }, standing }: { detail: RequestDetail; standing: Standing }) {
  const { card } = useInboxWords()
  return (
    <p className="effect">
      {request.toolName !== undefined && (
        <code className="tool">
          <SafeText text={request.toolName} />
        </code>
      )}{' '}
      {effectText(request.kind, standing, card)}
    </p>
  )
}

function effectText(
  kind: RequestDetail['request']['kind'],
  standing: Standing,
  card: ReturnType<typeof useInboxWords>['card'],
): string {
  if (standing.kind === 'decided' && kind === 'approve') {
    if (standing.outcome === 'edit') return card.ranChanged
    return standing.outcome === 'approve' ? card.ranOnce : card.didNotRun
  }
  if (kind === 'ask') return card.answersAreData
  return kind === 'confirm' ? card.yesLetsGoOn : card.runsOnce
}

function What({
  detail: { request },
  closed,
  ran,
}: {
  detail: RequestDetail
  closed: boolean
  ran: JsonObject | undefined
}) {
  const { card } = useInboxWords()
  if (request.kind === 'approve')
    return (
      <Section
        title={closed ? card.ran : card.what}
        note={request.digest !== undefined && <Seal digest={request.digest} />}
      >
        <Fields request={request} {...(ran ? { edited: ran } : {})} />
        {request.display?.guessed === true && <p className="more">{card.guessed}</p>}
      </Section>
    )
  const details = Object.entries(request.details ?? {})
  if (details.length === 0) return null
  return (
    <Section title={card.details}>
      <NamedValues values={details.map(([name, value]) => ({ name, value }))} />
    </Section>
  )
}

function Seal({ digest }: { digest: string }) {
  const { card } = useInboxWords()
  const bare = digest.replace(/^sha256:/, '')
  return (
    <span title={digest}>
      {card.seal} <code>{bare.length > 14 ? `${bare.slice(0, 8)}…${bare.slice(-4)}` : bare}</code>
    </span>
  )
}

function Why({ detail: { request, policies }, closed }: { detail: RequestDetail; closed: boolean }) {
  const { card } = useInboxWords()
  const who = reviewersText(request, card)
  const asking = policies.filter(({ verdict, shadow }) => verdict === 'review' && shadow !== true)
  return (
    <Section title={closed ? card.whyWas : card.why}>
      <p className="why">
        <Icon name="shield" />
        <span>
          {request.description !== undefined ? (
            <SafeText text={request.description} />
          ) : asking.length > 0 ? (
            card.policyHeld
          ) : request.kind === 'approve' ? (
            card.alwaysAsks
          ) : (
            card.toolAsks
          )}{' '}
          {asking.map(({ name, version }, at) => (
            <span key={`${name} ${version}`}>
              {at > 0 && ', '}
              <SafeCode text={`${name} ${version}`} />
            </span>
          ))}
          {who !== undefined && (
            <span className="why-who">
              {card.reviewers} <SafeText text={who} />
            </span>
          )}
        </span>
      </p>
    </Section>
  )
}

function Cause({ detail: { cause } }: { detail: RequestDetail }) {
  const { card } = useInboxWords()
  if (!cause) return null
  return (
    <Section title={card.cause}>
      <figure className="cause">
        <blockquote>
          <SafeText text={cause.text} />
        </blockquote>
        <figcaption>
          {cause.by !== undefined && (
            <strong>
              <SafeText text={cause.by} />
            </strong>
          )}
          <span className={cause.by === undefined ? undefined : 'sep'}>
            <Ago at={cause.at} />
          </span>
        </figcaption>
      </figure>
    </Section>
  )
}

/** The model's own words: folded, dashed, and said to be unchecked. */
function ModelWords({ text }: { text: string | undefined }) {
  const { card } = useInboxWords()
  if (text === undefined || text === '') return null
  return (
    <details className="model" id="model">
      <summary>
        <Icon name="bot" />
        <span>{card.model}</span>
        <span className="model-tag">{card.modelTag}</span>
        <span className="model-length num">{card.words(wordsIn(text))}</span>
      </summary>
      <p>
        <SafeText text={text} />
      </p>
    </details>
  )
}
