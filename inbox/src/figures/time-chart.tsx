import type { Figures } from 'holdpoint/client'
import { useId } from 'react'
import { useClock } from '../app/clock.tsx'
import { useNarrow } from '../app/use-narrow.ts'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { DataTable } from '../view/data-table.tsx'
import { Legend, Patterns } from './bar-rows.tsx'
import { Chart } from './chart.tsx'
import { type Slot, slotsOf, ticksFor } from './over-time.ts'
import { words } from './words.ts'

const HEIGHT = 220
const BASE = 190
const TOP = 16
const LEFT = 32
/** The room that a date or a time needs. */
const LABEL = 62

/** What was asked and decided over time. */
export function TimeChart({ figures }: { figures: Figures }) {
  const text = useWords(words)
  const format = useFormat()
  const now = useClock()
  const byHour = figures.days === 1
  const slots = slotsOf(figures, now())
  const day = new Intl.DateTimeFormat(format.locale, { day: 'numeric', month: 'short' })
  const nameOf = (at: number) => (byHour ? format.clock(at) : day.format(at))
  const table = slots.map(({ at, opened, decided, expired }): [string, ...string[]] => [
    nameOf(at),
    ...[opened, decided, expired].map(format.number),
  ])
  const head = [text.when, text.opened, text.decidedWord, text.expiredWord]
  return (
    <Chart
      title={text.overTime}
      text={text.overTimeText(byHour)}
      table={<DataTable caption={text.overTime} head={head} rows={table} />}
    >
      <Legend
        items={[
          { fill: 'outline', text: text.opened },
          { fill: 'plain', text: text.decidedWord },
          { fill: 'dots', text: text.expiredWord },
        ]}
      />
      <Columns slots={slots} nameOf={nameOf} label={text.overTime} />
    </Chart>
  )
}

interface ColumnsProps {
  slots: readonly Slot[]
  nameOf: (at: number) => string
  label: string
}

function Columns({ slots, nameOf, label }: ColumnsProps) {
  const id = useId()
  const format = useFormat()
  const width = useNarrow() ? 358 : 500
  const most = Math.max(1, ...slots.map(({ opened, decided, expired }) => Math.max(opened, decided + expired)))
  const ticks = ticksFor(most)
  const top = Math.max(most, ticks.at(-1) ?? 1)
  const y = (value: number) => BASE - (value / top) * (BASE - TOP)
  const step = (width - LEFT) / slots.length
  const every = Math.ceil((slots.length * LABEL) / (width - LEFT))
  return (
    <svg className="plot" viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
      <Patterns id={id} />
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="plot-grid" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
            {format.number(tick)}
          </text>
        </g>
      ))}
      <line className="plot-axis" x1={LEFT} x2={width} y1={BASE + 0.5} y2={BASE + 0.5} />
      {slots.map(({ at, opened, decided, expired }, index) => {
        const x = LEFT + index * step
        const wide = Math.max(1, step * 0.4)
        return (
          <g key={at}>
            <rect
              className="plot-outline"
              x={x + step * 0.08}
              y={y(opened)}
              width={wide}
              height={BASE - y(opened)}
              rx={2}
            />
            <rect
              className="plot-plain"
              x={x + step * 0.52}
              y={y(decided)}
              width={wide}
              height={BASE - y(decided)}
              rx={2}
            />
            <rect
              className="plot-dots"
              fill={`url(#${id}-dots)`}
              x={x + step * 0.52}
              y={y(decided + expired)}
              width={wide}
              height={y(decided) - y(decided + expired)}
            />
            {index % every === 0 && (
              <text x={x + step / 2} y={BASE + 18} textAnchor="middle">
                {nameOf(at)}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}
