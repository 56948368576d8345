import type { Figures } from 'holdpoint/client'
import { useFigures } from 'holdpoint/react'
import { hrefOf } from '../app/route.ts'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'

/** Nothing waits: what was decided today. */
export function Empty() {
  const { empty } = useInboxWords()
  const { data } = useFigures(1)
  return (
    <div className="pane">
      <div className="pane-scroll">
        <div className="empty">
          <svg className="empty-mark" viewBox="0 0 96 96" width="96" height="96" aria-hidden="true">
            <circle cx="48" cy="48" r="38" />
            <path d="M33 49l10 11 21-24" />
          </svg>
          <h1 tabIndex={-1}>{empty.title}</h1>
          <p>{empty.text}</p>
          {data && <Today figures={data} />}
          <a className="link" href={hrefOf({ view: 'decisions' })}>
            {empty.whyNotAsked}
          </a>
        </div>
      </div>
    </div>
  )
}

function Today({ figures }: { figures: Figures }) {
  const { empty } = useInboxWords()
  const format = useFormat()
  const sum = (key: 'approved' | 'edited' | 'rejected' | 'responded') =>
    figures.byTool.reduce((all, tool) => all + tool[key], 0)
  const [approved, edited, rejected] = [sum('approved'), sum('edited'), sum('rejected')]
  const { p50 } = figures.timeToDecide
  const shown: [string, string][] = [
    [format.number(approved + edited + rejected + sum('responded')), empty.decided],
    [format.number(approved), empty.approved],
    [format.number(edited), empty.edited],
    [format.number(rejected), empty.rejected],
    ...(p50 === null ? [] : ([[format.span(p50), empty.median]] as [string, string][])),
  ]
  return (
    <>
      <dl className="today">
        {shown.map(([value, name]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
      <Hours hours={figures.byHour} />
    </>
  )
}

/** What was decided in each hour, as bars that are also a list. */
function Hours({ hours }: { hours: Figures['byHour'] }) {
  const { empty } = useInboxWords()
  const format = useFormat()
  const most = Math.max(1, ...hours.map(({ decided }) => decided))
  if (!hours.some(({ decided }) => decided > 0)) return null
  return (
    <section className="hours">
      <h2>{empty.hours}</h2>
      <ol>
        {hours.map(({ at, decided }) => (
          <li key={at} title={empty.hour(format.clock(Date.parse(at)), decided)}>
            <span className="num">{decided > 0 ? decided : ''}</span>
            <span className="hours-bar" style={{ height: `${(decided / most) * 64}px` }} />
            <span className="num hours-name">{format.clock(Date.parse(at)).slice(0, 2)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Nothing is chosen. */
export function NothingChosen() {
  const { empty } = useInboxWords()
  return (
    <div className="pane">
      <div className="empty">
        <h1>{empty.choose}</h1>
        <p>{empty.chooseText}</p>
      </div>
    </div>
  )
}
