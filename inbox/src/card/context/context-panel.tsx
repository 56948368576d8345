import type { RequestDetail } from 'holdpoint/client'
import type { ReactNode } from 'react'
import { hrefOf } from '../../app/route.ts'
import { useInboxWords } from '../../i18n/i18n.tsx'
import { Ago } from '../../queue/deadline.tsx'
import { Icon, type IconName } from '../../shell/icon.tsx'
import { SafeCode, SafeText } from '../values/safe-text.tsx'
import { Notes } from './notes.tsx'
import { Story } from './story.tsx'

/** What led to a request, and what was decided about others like it. */
export function ContextPanel({ detail, me }: { detail: RequestDetail; me: string }) {
  const { card } = useInboxWords()
  const { request, story, grants } = detail
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <aside className="context" aria-label={card.context} tabIndex={0}>
      {request.host && <Host host={request.host} />}
      <Part title={card.thread} note={<SafeCode text={request.threadId} />}>
        <Story story={story} />
        <a className="link" href={hrefOf({ view: 'thread', id: request.threadId })}>
          {detail.earlier === undefined ? card.wholeStory : card.earlierSteps(detail.earlier)}
        </a>
      </Part>
      {request.kind === 'approve' && <Similar similar={detail.similar} me={me} />}
      {request.kind === 'approve' && (
        <Part title={card.grants}>
          {grants === 0 ? (
            <p className="quiet">{card.noGrants}</p>
          ) : (
            <a className="link" href={hrefOf({ view: 'grants' })}>
              {card.someGrants(grants)}
            </a>
          )}
        </Part>
      )}
      <Notes detail={detail} me={me} />
      <Ids detail={detail} />
    </aside>
  )
}

/** A part of the context under its own heading. */
export function Part({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section className="context-part">
      <h2>
        {title}
        {note}
      </h2>
      {children}
    </section>
  )
}

const MARKS: Record<RequestDetail['similar'][number]['outcome'], IconName> = {
  approve: 'check',
  edit: 'pen',
  reject: 'x',
  respond: 'reply',
  expired: 'clock',
}

function Similar({ similar, me }: { similar: RequestDetail['similar']; me: string }) {
  const { card, queue } = useInboxWords()
  const mark = (outcome: (typeof similar)[number]['outcome']) => (
    <span className="outcome" data-outcome={outcome} role="img" aria-label={queue.outcome[outcome]}>
      <Icon name={MARKS[outcome]} />
    </span>
  )
  return (
    <Part title={card.similar} note={similar.length > 0 && <span className="num">{similar.length}</span>}>
      {similar.length === 0 && <p className="quiet">{card.noSimilar}</p>}
      {similar.length > 3 && (
        <div className="outcomes">
          {similar.map(({ id, outcome }) => (
            <span key={id}>{mark(outcome)}</span>
          ))}
        </div>
      )}
      <ul className="similar">
        {similar.slice(0, 3).map(({ id, title, outcome, by, at }) => (
          <li key={id}>
            {mark(outcome)}
            <SafeText text={title} />
            <span className="similar-who">
              {by.kind === 'person' && <>{by.id === me ? card.you : <SafeText text={by.id} />}, </>}
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

/** The host that asks, and its own name of the conversation. */
function Host({ host }: { host: NonNullable<RequestDetail['request']['host']> }) {
  const { card } = useInboxWords()
  return (
    <Part title={card.host} note={<SafeCode text={host.source} />}>
      <p>
        {card.conversation} <SafeCode text={host.conversation} />
      </p>
      {host.principal !== undefined && (
        <p>
          {card.principal} <SafeCode text={host.principal} />
        </p>
      )}
    </Part>
  )
}

function Ids({ detail: { request } }: { detail: RequestDetail }) {
  const { card } = useInboxWords()
  const ids: [string, string][] = [
    [card.ids.request, request.id],
    [card.ids.version, String(request.version)],
    [card.ids.call, request.questionId],
    [card.ids.tenant, request.tenant],
  ]
  return (
    <section className="context-part context-ids">
      <dl>
        {ids.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <SafeCode text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
