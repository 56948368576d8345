import type { Figures } from 'holdpoint/client'
import { useNarrow } from '../app/use-narrow.ts'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { DataTable } from '../view/data-table.tsx'
import { BarRows, Legend } from './bar-rows.tsx'
import { Chart } from './chart.tsx'
import { words } from './words.ts'

/** Rows of a chart. The table has all. */
const MOST = 12

/** Decisions by tool and outcome. */
export function ToolsChart({ figures: { byTool } }: { figures: Figures }) {
  const text = useWords(words)
  const format = useFormat()
  const width = useNarrow() ? 358 : 1040
  const sumOf = (tool: Figures['byTool'][number]) =>
    tool.approved + tool.edited + tool.rejected + tool.responded + tool.expired
  const tools = [...byTool].sort((a, b) => sumOf(b) - sumOf(a))
  const rows = tools.slice(0, MOST).map((tool) => ({
    name: tool.tool,
    label: format.number(sumOf(tool)),
    pieces: [
      { value: tool.approved, fill: 'plain' as const },
      { value: tool.edited, fill: 'stripes' as const },
      { value: tool.rejected, fill: 'dots' as const },
      { value: tool.responded, fill: 'lines' as const },
      { value: tool.expired, fill: 'outline' as const },
    ],
  }))
  const head = [text.tool, text.approved, text.edited, text.rejected, text.responded, text.expiredWord]
  const table = tools.map((tool): [string, ...string[]] => [
    tool.tool,
    ...[tool.approved, tool.edited, tool.rejected, tool.responded, tool.expired].map(format.number),
  ])
  return (
    <Chart
      wide
      title={text.byTool}
      text={text.byToolText}
      table={<DataTable caption={text.byTool} head={head} rows={table} />}
    >
      <Legend
        items={[
          { fill: 'plain', text: `✓ ${text.approved}` },
          { fill: 'stripes', text: `✎ ${text.edited}` },
          { fill: 'dots', text: `✕ ${text.rejected}` },
          { fill: 'lines', text: `↩ ${text.responded}` },
          { fill: 'outline', text: `◷ ${text.expiredWord}` },
        ]}
      />
      <BarRows rows={rows} label={text.byTool} width={width} />
    </Chart>
  )
}

/** How long deciding takes, by tool. */
export function SpeedChart({ figures: { byTool } }: { figures: Figures }) {
  const text = useWords(words)
  const format = useFormat()
  const width = useNarrow() ? 358 : 500
  const tools = byTool.flatMap(({ tool, p50 }) => (p50 === null ? [] : [{ tool, p50 }])).sort((a, b) => b.p50 - a.p50)
  const rows = tools.slice(0, MOST / 2).map(({ tool, p50 }) => ({
    name: tool,
    label: format.span(p50),
    pieces: [{ value: p50, fill: 'plain' as const }],
  }))
  const table = tools.map(({ tool, p50 }): [string, string] => [tool, format.span(p50)])
  return (
    <Chart
      title={text.speed}
      text={text.speedText}
      table={<DataTable caption={text.speed} head={[text.tool, text.medianWord]} rows={table} />}
    >
      <BarRows rows={rows} label={text.speed} width={width} />
    </Chart>
  )
}

/** How many decisions each person made. */
export function LoadChart({ figures: { byReviewer } }: { figures: Figures }) {
  const text = useWords(words)
  const format = useFormat()
  const width = useNarrow() ? 358 : 1040
  const people = [...byReviewer].sort((a, b) => b.decided - a.decided)
  const rows = people.slice(0, MOST).map(({ id, decided, p50 }) => ({
    name: id,
    label: p50 === null ? format.number(decided) : `${format.number(decided)} · ${format.span(p50)}`,
    pieces: [{ value: decided, fill: 'plain' as const }],
  }))
  const table = people.map(({ id, decided, p50 }): [string, ...string[]] => [
    id,
    format.number(decided),
    p50 === null ? text.none : format.span(p50),
  ])
  return (
    <Chart
      wide
      title={text.load}
      text={text.loadText}
      table={<DataTable caption={text.load} head={[text.reviewer, text.decidedWord, text.medianWord]} rows={table} />}
    >
      <BarRows rows={rows} label={text.load} width={width - (width > 600 ? 0 : 40)} />
    </Chart>
  )
}
