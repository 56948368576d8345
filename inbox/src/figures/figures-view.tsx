import type { Figures } from 'holdpoint/client'
import { useFigures } from 'holdpoint/react'
import { type ReactNode, useState } from 'react'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { View } from '../view/view.tsx'
import { LoadChart, SpeedChart, ToolsChart } from './bar-charts.tsx'
import { TimeChart } from './time-chart.tsx'
import { words } from './words.ts'
import './figures.css'

const PERIODS = [1, 7, 30]

/** Figures about requests and decisions, as charts. Each chart has its table. */
export default function FiguresView() {
  const text = useWords(words)
  const [days, setDays] = useState(7)
  const { data, state, error, reload } = useFigures(days)
  const period = (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend
    <div className="segments" role="group" aria-label={text.period}>
      {PERIODS.map((each) => (
        <button key={each} type="button" aria-pressed={each === days} onClick={() => setDays(each)}>
          {text.days(each)}
        </button>
      ))}
    </div>
  )
  return (
    <View title={text.title} text={text.text(days)} actions={period}>
      {state === 'failed' && <Failure error={error} onRetry={() => void reload()} />}
      {state === 'loading' && <Skeleton />}
      {data !== undefined && <Charts figures={data} />}
    </View>
  )
}

function Charts({ figures }: { figures: Figures }) {
  const text = useWords(words)
  const format = useFormat()
  return (
    <>
      <KeyFigures figures={figures} />
      {figures.more && <p className="quiet figures-note">{text.newest(format.number(figures.counted))}</p>}
      {figures.counted === 0 ? (
        <p className="empty-note">{text.noneYet}</p>
      ) : (
        <div className="charts">
          <TimeChart figures={figures} />
          <SpeedChart figures={figures} />
          <ToolsChart figures={figures} />
          <LoadChart figures={figures} />
        </div>
      )}
    </>
  )
}

function KeyFigures({ figures }: { figures: Figures }) {
  const text = useWords(words)
  const format = useFormat()
  const { counted, timeToDecide, queueAge, byTool, byReviewer } = figures
  const decided = byReviewer.reduce((sum, each) => sum + each.decided, 0)
  const expired = byTool.reduce((sum, each) => sum + each.expired, 0)
  const span = (seconds: number | null) => (seconds === null ? text.none : format.span(seconds))
  return (
    <dl className="key-figures">
      <KeyFigure name={text.decided} value={format.number(decided)} note={text.ofRequests(format.number(counted))} />
      <KeyFigure
        name={text.median}
        value={span(timeToDecide.p50)}
        note={timeToDecide.p95 === null ? text.none : text.p95(format.percent(0.95), format.span(timeToDecide.p95))}
      />
      <KeyFigure
        name={text.expired}
        value={format.number(expired)}
        note={counted === 0 ? text.none : text.ofAll(format.percent(expired / counted))}
      />
      <KeyFigure
        name={text.waiting}
        value={format.number(queueAge.open)}
        note={queueAge.oldest === null ? text.noneWaiting : text.oldest(format.span(queueAge.oldest))}
      />
    </dl>
  )
}

function KeyFigure({ name, value, note }: { name: string; value: ReactNode; note: ReactNode }) {
  return (
    <div className="key-figure">
      <dt>{name}</dt>
      <dd className="num key-value">{value}</dd>
      <dd className="quiet num">{note}</dd>
    </div>
  )
}
