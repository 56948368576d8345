import type { Figures } from '../../../client.ts'
import type { Command } from '../../command-line/command.ts'
import { toCount } from '../../command-line/count.ts'
import type { Style } from '../../render/style.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { padTo, widthOf } from '../../render/width.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Shows how deciding went. */
export const figures: Command = {
  name: 'figures',
  summary: 'show how deciding went: how long it took, and who did what',
  usage: '[--days N]',
  options: { days: { value: 'N', help: 'over this many days (default: 7)' } },
  remote: true,
  positionals: { min: 0, max: 0 },
  run: (call) => {
    const days = toCount('days', call.text('days') ?? '7')
    return withSeat(call, async ({ records }) => {
      const found = await records.figures(days)
      call.context.out(...(call.flag('json') ? [safeJson(found)] : lines(found, call.context.style)))
      return 0
    })
  },
}

function lines({ days, counted, more, timeToDecide, queueAge, byTool, byReviewer }: Figures, style: Style): string[] {
  const over = days === 1 ? 'the last day' : `the last ${days} days`
  return [
    `${counted}${more ? '+' : ''} ${counted === 1 && !more ? 'request' : 'requests'} in ${over}`,
    `time to decide  p50 ${span(timeToDecide.p50)}, p95 ${span(timeToDecide.p95)}`,
    `open now        ${queueAge.open}${queueAge.oldest === null ? '' : `, the oldest for ${span(queueAge.oldest)}`}`,
    ...(byTool.length === 0 ? [] : ['', ...table(TOOLS, byTool.map(toolRow), style)]),
    ...(byReviewer.length === 0 ? [] : ['', ...table(PEOPLE, byReviewer.map(personRow), style)]),
  ]
}

const TOOLS = ['tool', 'approved', 'edited', 'rejected', 'responded', 'expired', 'p50']
const PEOPLE = ['reviewer', 'decided', 'p50']

function toolRow({ tool, approved, edited, rejected, responded, expired, p50 }: Figures['byTool'][number]): string[] {
  return [visible(tool), ...[approved, edited, rejected, responded, expired].map(String), span(p50)]
}

function personRow({ id, decided, p50 }: Figures['byReviewer'][number]): string[] {
  return [visible(id), String(decided), span(p50)]
}

/** The first column to the left, numbers to the right. */
function table(head: readonly string[], rows: readonly string[][], style: Style): string[] {
  const widths = head.map((title, at) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ''))))
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === 0 ? padTo(cell, widths[0]!) : cell.padStart(widths[at]!))).join('  ')
  return [style.bold(line(head)), ...rows.map(line)]
}

function span(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`
}
