import type { GrantItem } from 'holdpoint/client'
import { visible } from '../../../src/core/display/visible.ts'
import { useNow } from '../app/clock.tsx'
import { hrefOf } from '../app/route.ts'
import { resultText } from '../card/values/result-text.ts'
import { SafeCode, SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { nameOf } from './grant-name.ts'
import { words } from './words.ts'

interface GrantRowProps {
  grant: GrantItem
  me: string | undefined
  onEnd?: (() => void) | undefined
}

/** One standing decision: what it lets run, how much of it is used, how long it lasts. */
export function GrantRow({ grant, me, onEnd }: GrantRowProps) {
  const text = useWords(words)
  const name = nameOf(grant, text)
  return (
    <li className="grant" data-status={grant.status}>
      <div className="grant-main">
        <h2>
          <SafeText text={name} />
        </h2>
        <p>
          <SafeCode text={grant.tool} />
          <span className="sep">
            {text.agent} <SafeCode text={grant.agent} />
          </span>
          <span className="sep">
            {text.givenBy} {grant.by.id === me ? text.you : <SafeText text={grant.by.id} />}
          </span>
          <span className="sep">
            {text.thread}{' '}
            <a className="link" href={hrefOf({ view: 'thread', id: grant.threadId })}>
              <SafeText text={grant.threadId} />
            </a>
          </span>
        </p>
        {grant.args !== undefined && (
          <p>
            {text.onlyWith} <SafeCode text={resultText(JSON.stringify(grant.args))} />
          </p>
        )}
      </div>
      <Use grant={grant} />
      <Left grant={grant} />
      {grant.status !== 'active' ? (
        <span className="quiet">
          {text.status[grant.status]}
          {grant.revoked !== undefined && (
            <>
              {' '}
              <SafeText text={text.revokedBy(grant.revoked.by.id === me ? text.you : grant.revoked.by.id)} />
            </>
          )}
        </span>
      ) : onEnd === undefined ? (
        <span className="quiet grant-not-yours">{text.notYours}</span>
      ) : (
        <button type="button" className="btn btn-small" aria-label={text.takeBackName(visible(name))} onClick={onEnd}>
          {text.takeBack}
        </button>
      )}
    </li>
  )
}

function Use({ grant }: { grant: GrantItem }) {
  const text = useWords(words)
  const format = useFormat()
  const { uses, used, cap, spent, money } = grant
  const amount = (value: number) => (money ? format.money(value, money) : format.number(value))
  const parts = [uses === null ? 0 : used / uses, cap === null ? 0 : spent / cap]
  const part = Math.min(1, Math.max(...parts))
  const near = part >= 0.9 && grant.status === 'active'
  return (
    <div className="grant-use">
      <span className="num">
        {uses === null ? text.unlimited(format.number(used)) : text.uses(format.number(used), format.number(uses))}
      </span>
      {uses === null && cap === null ? (
        <span className="meter-none" aria-hidden="true" />
      ) : (
        <span className="meter" data-near={near || undefined} role="img" aria-label={text.meter(format.percent(part))}>
          <span style={{ width: `${part * 100}%` }} />
        </span>
      )}
      {cap !== null && <span className="num quiet">{text.sum(amount(spent), amount(cap))}</span>}
      {near && uses !== null && <span className="warn-text">{text.usesLeft(Math.max(0, uses - used))}</span>}
    </div>
  )
}

function Left({ grant: { expiresAt, status } }: { grant: GrantItem }) {
  const text = useWords(words)
  const format = useFormat()
  const now = useNow('slow')
  if (expiresAt === undefined)
    return (
      <div className="grant-left">
        <span>{text.noEnd}</span>
        {status === 'active' && <span className="quiet">{text.noEndText}</span>}
      </div>
    )
  const end = Date.parse(expiresAt)
  return (
    <div className="grant-left">
      {status === 'active' && <span className="num">{text.left(format.span((end - now) / 1000))}</span>}
      <time className="quiet num" dateTime={expiresAt} title={format.exact(end)}>
        {text.until(format.day(end))}
      </time>
    </div>
  )
}
