import { useId } from 'react'
import { visible } from '../../../src/core/display/visible.ts'

/** How a piece of a bar is drawn: each has its own pattern, so that colour is not alone. */
export type Fill = 'plain' | 'stripes' | 'dots' | 'lines' | 'outline'

/** One bar, made of pieces. */
interface BarRow {
  name: string
  pieces: readonly { value: number; fill: Fill }[]
  /** What stands after the bar. */
  label: string
}

interface BarRowsProps {
  rows: readonly BarRow[]
  label: string
  width: number
}

const ROW = 40
const BAR = 26
/** A number fits into a piece that is as wide. */
const ROOM = 34
const NAME_CHARACTERS = 18

/** Horizontal bars, one for each row. */
export function BarRows({ rows, label, width }: BarRowsProps) {
  const id = useId()
  const left = Math.min(148, width * 0.3)
  const most = Math.max(1, ...rows.map(({ pieces }) => pieces.reduce((sum, { value }) => sum + value, 0)))
  const scale = (width - left - 64) / most
  const fillOf = (fill: Fill) => (fill === 'plain' || fill === 'outline' ? undefined : `url(#${id}-${fill})`)
  return (
    <svg className="plot" viewBox={`0 0 ${width} ${rows.length * ROW}`} role="img" aria-label={label}>
      <Patterns id={id} />
      {rows.map(({ name, pieces, label: after }, at) => {
        const y = at * ROW + 7
        const ends = pieces.map((_, upTo) => pieces.slice(0, upTo + 1).reduce((sum, { value }) => sum + value, 0))
        const end = left + (ends.at(-1) ?? 0) * scale
        return (
          <g key={name}>
            <text className="plot-name" x={left - 12} y={y + 17} textAnchor="end">
              {shorten(visible(name))}
              <title>{visible(name)}</title>
            </text>
            {pieces.map(({ value, fill }, piece) => {
              const x = left + ((ends[piece] ?? 0) - value) * scale
              const wide = value * scale
              return value === 0 ? null : (
                <g key={fill}>
                  <rect
                    className={`plot-${fill}`}
                    x={x}
                    y={y}
                    width={Math.max(2, wide - 2)}
                    height={BAR}
                    rx={3}
                    fill={fillOf(fill)}
                  />
                  {pieces.length > 1 && wide > ROOM && (
                    <text className={fill === 'plain' ? 'plot-on-fill' : 'plot-on-pattern'} x={x + 10} y={y + 18}>
                      {value}
                    </text>
                  )}
                </g>
              )
            })}
            <text className="plot-value" x={end + 8} y={y + 18}>
              {after}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

/** What the fills mean, above the bars. */
export function Legend({ items }: { items: readonly { fill: Fill; text: string }[] }) {
  const id = useId()
  return (
    <ul className="legend">
      {items.map(({ fill, text }) => (
        <li key={fill}>
          <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
            <Patterns id={id} />
            <rect
              className={`plot-${fill}`}
              x="0.5"
              y="0.5"
              width="13"
              height="13"
              rx="3"
              fill={fill === 'plain' || fill === 'outline' ? undefined : `url(#${id}-${fill})`}
            />
          </svg>
          {text}
        </li>
      ))}
    </ul>
  )
}

/** The patterns of fills. Their colours come from the style sheet. */
export function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-stripes`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" className="pattern-warn" />
        <rect width="2.5" height="6" className="pattern-warn-mark" />
      </pattern>
      <pattern id={`${id}-dots`} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect width="6" height="6" className="pattern-danger" />
        <circle cx="3" cy="3" r="1.3" className="pattern-danger-mark" />
      </pattern>
      <pattern id={`${id}-lines`} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect width="6" height="6" className="pattern-calm" />
        <rect width="6" height="1.5" className="pattern-calm-mark" />
      </pattern>
    </defs>
  )
}

function shorten(name: string): string {
  const characters = [...name]
  return characters.length > NAME_CHARACTERS ? `${characters.slice(0, NAME_CHARACTERS - 1).join('')}…` : name
}
