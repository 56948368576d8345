import { useClient } from 'holdpoint/react'
import { useCallback, useEffect, useState } from 'react'
import { hrefOf } from '../app/route.ts'
import { SafeCode, SafeText } from '../card/values/safe-text.tsx'
import { useWords } from '../i18n/i18n.tsx'
import { Ago } from '../queue/deadline.tsx'
import { Icon, type IconName } from '../shell/icon.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import type { DecisionFilter } from './filter.ts'
import { Filters } from './filters.tsx'
import { type UnaskedCall, UnaskedCalls } from './unasked.ts'
import { words } from './words.ts'

const DAY = 86_400_000
const MOST = 200
/** Journals that are read for the names of tools. */
const MOST_THREADS = 10

const ICONS: Record<UnaskedCall['kind'], IconName> = {
  grant: 'key',
  policy: 'right',
  deny: 'shield',
  'grant-refused': 'x',
}

interface NotAskedProps {
  audits: boolean
  filter: DecisionFilter
  onFilter: (filter: DecisionFilter) => void
}

/** Why somebody was not asked: calls that a grant or a policy settled. */
export function NotAsked({ audits, filter, onFilter }: NotAskedProps) {
  const text = useWords(words)
  return (
    <>
      <Filters filter={filter} people={[]} me={undefined} onChange={onFilter} />
      <section className="not-asked" aria-labelledby="why-not">
        <h2 id="why-not">{text.whyNot}</h2>
        <p className="quiet">{audits ? text.whyNotText : text.whyNotDenied}</p>
        {audits ? (
          <Unasked text={filter.text} />
        ) : (
          <a className="link" href={hrefOf({ view: 'grants' })}>
            {text.grants}
          </a>
        )}
      </section>
    </>
  )
}

type Read = { state: 'reading' } | { state: 'ready'; calls: UnaskedCall[] } | { state: 'failed'; error: unknown }

function Unasked({ text: wanted }: { text: string }) {
  const text = useWords(words)
  const [read, again] = useUnasked()
  if (read.state === 'reading') return <Skeleton lines={6} />
  if (read.state === 'failed') return <Failure error={read.error} onRetry={again} />
  const calls = read.calls.filter(({ tool, thread, why }) =>
    `${tool} ${thread} ${why}`.toLowerCase().includes(wanted.toLowerCase()),
  )
  if (calls.length === 0) return <p className="empty-note">{text.whyNotNone}</p>
  const free = calls.filter(({ kind }) => kind === 'policy')
  const settled = calls.filter(({ kind }) => kind !== 'policy')
  return (
    <>
      <Calls calls={settled} />
      {free.length > 0 && (
        <details className="let-through" open={settled.length === 0}>
          <summary className="let-through-head">{text.letThrough(free.length)}</summary>
          <Calls calls={free} />
        </details>
      )}
    </>
  )
}

function Calls({ calls }: { calls: readonly UnaskedCall[] }) {
  return (
    <ol className="chain">
      {calls.slice(0, MOST).map((call) => (
        <UnaskedRow key={call.key} call={call} />
      ))}
    </ol>
  )
}

function useUnasked(): [Read, () => void] {
  const client = useClient()
  const [read, setRead] = useState<Read>({ state: 'reading' })
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn reads anew
  useEffect(() => {
    const ending = new AbortController()
    const start = async () => {
      setRead({ state: 'reading' })
      const calls = new UnaskedCalls()
      const from = new Date(Date.now() - DAY).toISOString()
      for await (const line of client.audit({ from }, { signal: ending.signal })) calls.add(line)
      // Tools that were defined earlier are named at the beginning of their journals.
      for (const thread of calls.unnamed.slice(0, MOST_THREADS)) {
        const { entries } = await client.journal(thread, { limit: 1000 }, { signal: ending.signal })
        for (const { entry } of entries) calls.define(thread, entry)
      }
      setRead({ state: 'ready', calls: calls.found })
    }
    start().catch((error: unknown) => {
      if (!ending.signal.aborted) setRead({ state: 'failed', error })
    })
    return () => ending.abort()
  }, [client, turn])
  return [read, useCallback(() => setTurn((before) => before + 1), [])]
}

function UnaskedRow({ call }: { call: UnaskedCall }) {
  const text = useWords(words)
  const word = { grant: text.byGrant, policy: text.byPolicy, deny: text.deniedBy, 'grant-refused': text.refusedByGrant }
  return (
    <li className="link-row" data-outcome={call.kind}>
      <span className="link-dot">
        <Icon name={ICONS[call.kind]} />
      </span>
      <div className="link-line">
        <span className="link-what">
          <strong>{word[call.kind]}</strong>
          <span>
            <SafeCode text={call.tool} /> <SafeText text={whyOf(call, text)} />
          </span>
        </span>
        <a className="link link-who" href={hrefOf({ view: 'thread', id: call.thread })}>
          <SafeText text={call.thread} />
        </a>
        <span className="link-time num">
          <Ago at={call.at} />
        </span>
        <span className="link-seal-short">
          <code>{call.hash.slice(0, 8)}</code>
        </span>
        <span />
      </div>
    </li>
  )
}

function whyOf({ kind, why }: UnaskedCall, text: typeof words.en): string {
  switch (kind) {
    case 'grant':
    case 'grant-refused':
      return text.grantText(why)
    case 'policy':
      return why === '' ? text.policyText : text.policyNames(why)
    case 'deny':
      return text.denyText(why)
    default:
      return kind satisfies never
  }
}
