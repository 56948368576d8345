import type { RequestItem } from 'holdpoint/client'

/** The groups of the queue, by how soon a request is due. */
const groups = ['soon', 'today', 'later'] as const
/** A group of the queue. */
type Group = (typeof groups)[number]

/** One line of the queue: the head of a group, or a request. */
type Line = { kind: 'group'; group: Group; count: number } | { kind: 'row'; id: string }

/** The queue in its order, as it was when it was last arranged. */
export interface Arranged {
  lines: readonly Line[]
  /** The ids of all requests, in order. */
  ids: readonly string[]
  /** The place of each id in `lines`. */
  at: ReadonlyMap<string, number>
}

/** A row of a list, as far as its order needs it. */
export interface Orderable {
  request: Pick<RequestItem, 'id' | 'expiresAt'>
}

/** A queue without requests. */
export const NOTHING: Arranged = { lines: [], ids: [], at: new Map() }

const SOON = 30 * 60_000
const TODAY = 12 * 60 * 60_000

/**
 * Puts requests into the order of their deadlines. If all of them were already shown, the order stays, whatever time has passed: nothing moves while
 * it is being read. Requests that left the list close up.
 */
export function arrange(rows: readonly Orderable[], before: Arranged, now: number): Arranged {
  const known = rows.every(({ request }) => before.at.has(request.id))
  if (!known) return inOrder(rows, now)
  if (rows.length === before.ids.length) return before
  const left = new Set(rows.map(({ request }) => request.id))
  return toArranged(groupsOf(before).map(([group, ids]) => [group, ids.filter((id) => left.has(id))]))
}

function inOrder(rows: readonly Orderable[], now: number): Arranged {
  const sorted = rows.map(({ request }) => ({ id: request.id, due: dueOf(request) })).sort(byDeadline)
  const of = (group: Group) => sorted.filter(({ due }) => groupOf(due - now) === group).map(({ id }) => id)
  return toArranged(groups.map((group) => [group, of(group)]))
}

const dueOf = ({ expiresAt }: Orderable['request']) =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt)

/** The nearest deadline first. Without one, what has waited longest: ids grow with time. */
function byDeadline(a: { id: string; due: number }, b: { id: string; due: number }): number {
  if (a.due !== b.due) return a.due < b.due ? -1 : 1
  return a.id < b.id ? -1 : 1
}

function groupOf(left: number): Group {
  if (left < SOON) return 'soon'
  return left < TODAY ? 'today' : 'later'
}

function groupsOf({ lines }: Arranged): [Group, string[]][] {
  const found: [Group, string[]][] = []
  for (const line of lines) {
    if (line.kind === 'group') found.push([line.group, []])
    else found.at(-1)?.[1].push(line.id)
  }
  return found
}

function toArranged(parts: readonly (readonly [Group, readonly string[]])[]): Arranged {
  const lines: Line[] = []
  const at = new Map<string, number>()
  for (const [group, ids] of parts) {
    if (ids.length === 0) continue
    lines.push({ kind: 'group', group, count: ids.length })
    for (const id of ids) {
      at.set(id, lines.length)
      lines.push({ kind: 'row', id })
    }
  }
  return { lines, ids: [...at.keys()], at }
}

/** The next request in a direction that `open` accepts, from a place in the order. Without one, the nearest in the other direction. */
export function neighbour(
  arranged: Arranged,
  from: string | undefined,
  { step, open, turn = false }: { step: 1 | -1; open: (id: string) => boolean; turn?: boolean },
): string | undefined {
  const { ids } = arranged
  const start = from === undefined ? (step === 1 ? -1 : ids.length) : ids.indexOf(from)
  for (let at = start + step; at >= 0 && at < ids.length; at += step) {
    const id = ids[at]
    if (id !== undefined && open(id)) return id
  }
  return turn ? neighbour(arranged, from, { step: step === 1 ? -1 : 1, open }) : undefined
}
