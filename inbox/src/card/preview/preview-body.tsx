import type { JsonValue } from '../../../../src/protocol/json/json.ts'
import { useFormat, useInboxWords } from '../../i18n/i18n.tsx'
import { Code } from '../values/code.tsx'
import { NamedValues } from '../values/named-values.tsx'
import { SafeCode, SafeText } from '../values/safe-text.tsx'
import { type DiffLine, type PreviewPart, readPreview } from './read-preview.ts'

/** The parts of a preview. */
export default function PreviewBody({ preview }: { preview: JsonValue }) {
  return readPreview(preview).map((part, at) => <Part key={at} part={part} />)
}

function Part({ part }: { part: PreviewPart }) {
  switch (part.kind) {
    case 'bars':
      return <Bars bars={part.bars} />
    case 'diff':
      return <Diff {...part} />
    case 'table':
      return <Table {...part} />
    case 'sql':
      return <Code text={part.text} language="sql" />
    case 'values':
      return <NamedValues values={part.values} />
    default:
      return part satisfies never
  }
}

function Bars({ bars }: { bars: { name: string; part: number; whole: number }[] }) {
  const { card } = useInboxWords()
  const { number, percent } = useFormat()
  return (
    <ul className="bars">
      {bars.map(({ name, part, whole }) => (
        <li key={name} className="bar">
          <SafeCode text={name} />
          <span className="bar-track" aria-hidden="true">
            <span className="bar-part" style={{ width: `${(part / whole) * 100}%` }} />
          </span>
          <span className="num">{card.of(number(part), number(whole))}</span>
          <span className="num bar-percent">{percent(part / whole)}</span>
        </li>
      ))}
    </ul>
  )
}

function Diff({ name, lines }: { name?: string; lines: DiffLine[] }) {
  const { card } = useInboxWords()
  const count = (sign: '+' | '-') => lines.filter((line) => line.sign === sign).length
  return (
    <figure className="diff">
      <figcaption>
        <code>{name === undefined ? card.diff : <SafeText text={name} />}</code>
        <span className="diff-added num">+{count('+')}</span>
        <span className="diff-removed num">−{count('-')}</span>
      </figcaption>
      <table>
        <tbody>
          {lines.map((line, at) => (
            <DiffRow key={at} line={line} />
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function DiffRow({ line }: { line: DiffLine }) {
  const { card } = useInboxWords()
  if (line.sign === 'gap')
    return (
      <tr className="diff-gap">
        <td colSpan={4}>{line.count > 0 ? card.unchanged(line.count) : '…'}</td>
      </tr>
    )
  const word = { '+': card.added, '-': card.removed, ' ': undefined }[line.sign]
  return (
    <tr data-sign={line.sign === ' ' ? undefined : line.sign}>
      <td className="diff-number num">{line.old}</td>
      <td className="diff-number num">{line.new}</td>
      <td className="diff-sign">
        <span aria-hidden="true">{line.sign === '-' ? '−' : line.sign}</span>
        {word !== undefined && <span className="sr">{word}</span>}
      </td>
      <td className="diff-text">
        <code>
          <SafeText text={line.text} code />
        </code>
      </td>
    </tr>
  )
}

function Table({ name, head, rows, more }: Extract<PreviewPart, { kind: 'table' }>) {
  const { card } = useInboxWords()
  const { number } = useFormat()
  return (
    <figure className="sample">
      {name !== undefined && (
        <figcaption>
          <SafeCode text={name} />
        </figcaption>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll" tabIndex={0} aria-label={card.sample}>
        <table className="data">
          <thead>
            <tr>
              {head.map((key) => (
                <th key={key} scope="col">
                  <SafeText text={key} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={head[column]} className="mono num">
                    <SafeText text={typeof cell === 'string' ? cell : JSON.stringify(cell)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more > 0 && <p className="more num">{card.moreRows(number(more))}</p>}
    </figure>
  )
}
