import type { RequestItem } from 'holdpoint/client'
import { amountOf } from '../card/headline.ts'
import type { Format } from '../i18n/format.ts'

/** The most that one bulk decision takes. */
export const MOST = 100

/** Whether a request may be decided together with others. High risk, forms and questions are decided one by one. */
export function inBulk(request: RequestItem): boolean {
  return (
    request.status === 'open' &&
    request.mayDecide &&
    request.kind === 'approve' &&
    request.risk !== 'high' &&
    request.hidden === 0 &&
    request.digest !== undefined
  )
}

/** Adds or takes away one, or everything between the last one and it. */
export function pick(
  picked: ReadonlySet<string>,
  id: string,
  { order, from }: { order: readonly string[]; from?: string | undefined },
): ReadonlySet<string> {
  const next = new Set(picked)
  const [a, b] = from === undefined ? [-1, -1] : [order.indexOf(from), order.indexOf(id)].sort((x, y) => x - y)
  if (a === undefined || b === undefined || a < 0) {
    if (!next.delete(id)) next.add(id)
    return next
  }
  for (const each of order.slice(a, b + 1)) next.add(each)
  return next
}

/** The sum of what the requests take, if all take money of one currency. Empty otherwise. */
export function sumOf(requests: readonly RequestItem[], format: Format): string {
  const amounts = requests.map(amountOf)
  const [first] = amounts
  if (!first || !amounts.every((amount) => amount?.currency === first.currency && amount.unit === first.unit)) return ''
  return format.money(
    amounts.reduce((sum, amount) => sum + (amount?.value ?? 0), 0),
    first,
  )
}
