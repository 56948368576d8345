import type { Me, RequestDetail } from 'holdpoint/client'
import { useRequest } from 'holdpoint/react'
import type { ReactNode } from 'react'
import { visible } from '../../../src/core/display/visible.ts'
import { useNow } from '../app/clock.tsx'
import { hrefOf } from '../app/route.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import type { Format } from '../i18n/format.ts'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { outcomeOf } from '../queue/outcome.ts'
import { Icon } from '../shell/icon.tsx'
import { Folded } from '../view/folded.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { changesOf } from './changes.ts'
import type { EntryFacts } from './entry-facts.ts'
import { useEntryFacts } from './use-entry-facts.ts'
import { words } from './words.ts'

/** An opened entry: who decided, how signed in, having seen what, what was changed, and what ran. */
export function DecisionEntry({ id, me }: { id: string; me: Me | undefined }) {
  const { detail, state, error, reload } = useRequest(id)
  if (detail === undefined)
    return state === 'loading' ? <Skeleton lines={3} /> : <Failure error={error} onRetry={() => void reload()} />
  return <Entry detail={detail} me={me} />
}

function Entry({ detail, me }: { detail: RequestDetail; me: Me | undefined }) {
  const text = useWords(words)
  const format = useFormat()
  const { request } = detail
  const facts = useEntryFacts(request, me)
  const rows = factRows({ detail, facts, text, format })
  return (
    <div className="link-more">
      <dl className="entry-facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
        <Undoable detail={detail} />
      </dl>
      <Comments detail={detail} />
      <p className="link-seal">
        <Icon name="link" />
        {facts?.sealed === undefined ? (
          <span>{text.sealLater}</span>
        ) : (
          <span>
            {facts.sealed.before !== undefined && (
              <>
                {text.seals} <code>{facts.sealed.before.slice(0, 12)}</code> →{' '}
              </>
            )}
            {text.gives} <code>{facts.sealed.after.slice(0, 12)}</code>
          </span>
        )}
        <a className="link" href={hrefOf({ view: 'thread', id: request.threadId })}>
          {text.story}
        </a>
      </p>
    </div>
  )
}

interface FactsOf {
  detail: RequestDetail
  facts: EntryFacts | undefined
  text: typeof words.en
  format: Format
}

function factRows({ detail: { request }, facts, text, format }: FactsOf): [string, ReactNode][] {
  const { decided, answered, closed } = request
  const { at } = outcomeOf(request)
  const by = (decided ?? answered ?? closed)?.by
  const rows: [string, ReactNode][] = []
  if (facts?.sealed !== undefined) rows.push([text.entry, `#${format.number(facts.sealed.seq)}`])
  if (by?.kind === 'person') rows.push([text.signedIn, howOf(by, text)])
  if (at !== undefined)
    rows.push([text.answered, text.after(format.span((Date.parse(at) - Date.parse(request.createdAt)) / 1000))])
  if (decided !== undefined || answered !== undefined)
    rows.push([text.saw, <Saw key="saw" request={request} facts={facts} />])
  const changes = changesOf(request)
  if (changes.length > 0)
    rows.push([
      text.change,
      <ul key="changes">
        {changes.map(({ path, from, to }) => (
          <li key={path}>
            <SafeText text={path} /> <s>{from === undefined ? '–' : <SafeText text={asText(from)} />}</s> →{' '}
            <mark>{to === undefined ? '–' : <SafeText text={asText(to)} />}</mark>
          </li>
        ))}
      </ul>,
    ])
  const told = decided !== undefined && 'message' in decided.decision ? decided.decision.message : undefined
  if (told !== undefined) rows.push([text.told, <Folded key="told" text={told} />])
  if (answered !== undefined) rows.push([text.answerText, <Folded key="answer" text={asText(answered.value)} />])
  if (closed?.reason !== undefined) rows.push([text.reason, <Folded key="reason" text={closed.reason} />])
  const comment = decided?.comment ?? answered?.comment
  if (comment !== undefined)
    rows.push([
      text.comment,
      <span key="comment">
        “<Folded text={comment} />” <span className="quiet">{text.commentText}</span>
      </span>,
    ])
  const ran = ranText({ request, facts, text, format })
  if (ran !== undefined) rows.push([text.ran, ran])
  return rows
}

function Saw({ request, facts }: { request: RequestDetail['request']; facts: EntryFacts | undefined }) {
  const text = useWords(words)
  const fields = request.display?.fields.length ?? Object.keys(request.args ?? {}).length
  // The decision made the next version.
  return (
    <>
      {text.sawText(Math.max(1, request.version - 1), fields || (request.questions?.length ?? 0))}
      {request.digest !== undefined && (
        <span className="sep">
          {text.seal} <code>{request.digest.slice(0, 8)}</code>
        </span>
      )}
      {facts?.shown !== undefined && (
        <span className="sep">
          {text.card} <code>{facts.shown.slice(0, 8)}</code>
        </span>
      )}
    </>
  )
}

function Undoable({ detail: { request } }: { detail: RequestDetail }) {
  const text = useWords(words)
  const format = useFormat()
  const now = useNow()
  if (request.decided === undefined) return null
  const left = Date.parse(request.decided.effectiveAt) - now
  return left <= 0 ? null : (
    <div>
      <dt />
      <dd className="warn-text num">{text.undoable(format.left(left / 1000))}</dd>
    </div>
  )
}

function Comments({ detail: { comments } }: { detail: RequestDetail }) {
  const text = useWords(words)
  if (comments.length === 0) return null
  return (
    <details className="entry-notes">
      <summary>{text.notes(comments.length)}</summary>
      <ul>
        {comments.map(({ at, by, text: said }) => (
          <li key={`${at} ${by.id}`}>
            <strong>
              <SafeText text={by.id} />
            </strong>
            : <Folded text={said} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function howOf({ via, ...by }: { via?: string; groups?: string[] }, text: typeof words.en): string {
  const how = via === undefined ? text.viaUnknown : (text.via[via] ?? text.viaOther(visible(via)))
  return by.groups === undefined || by.groups.length === 0
    ? how
    : `${how}; ${text.groups(visible(by.groups.join(', ')))}`
}

function ranText({ request, facts, text, format }: Omit<FactsOf, 'detail'> & Pick<RequestDetail, 'request'>) {
  const type = request.decided?.decision.type
  if (request.kind !== 'approve') return undefined
  if (type !== 'approve' && type !== 'edit') return text.notRun
  if (facts?.started === undefined) return undefined
  const at = format.clock(Date.parse(facts.started))
  if (facts.finished === undefined) return text.running(at)
  const span = format.took(Date.parse(facts.finished.at) - Date.parse(facts.started))
  return facts.finished.failed ? text.ranFailed(at, span) : text.ranOnce(at, span)
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
