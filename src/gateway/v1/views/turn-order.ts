import type { Entry } from '../../../protocol/entries/entry.ts'

/** A turn of a frame. */
export interface Turn {
  readonly frame: string
  readonly number: number
}

/** Where the answer of a turn is, seen from an entry: the entry comes before it, after it, or is it. `undefined`: the entry does not say. */
export type Side = 'before' | 'here' | 'after' | undefined

/**
 * On which side of the answer of a turn an entry is. The runs of a thread follow each other, and so do the turns of a frame: keys of calls and frames say
 * how far their run had come. The entry must not be of a later run. An answer without calls is never the one that is meant.
 */
export function sideOfAnswer(entry: Entry, { frame, number }: Turn): Side {
  const sought = [...partsOf(frame), { turn: number, index: undefined }]
  if (entry.type === 'model.answered') {
    if (entry.frame === frame && entry.turn === number) return entry.message.toolCalls?.length ? 'here' : 'before'
    const own = [...partsOf(entry.frame), { turn: entry.turn, index: undefined }]
    const side = runOf(entry.frame) === runOf(frame) ? sideOf(own, sought) : 'before'
    return side === 'outside' ? undefined : side
  }
  const key = keyIn(entry)
  if (key === undefined) return undefined
  if (runOf(key) !== runOf(frame) || key === runOf(frame)) return 'before'
  const side = sideOf(partsOf(key), sought)
  if (side !== 'outside') return side
  return entry.type === 'call.finished' || entry.type === 'call.refused' ? 'after' : outerSide(entry)
}

/** An entry about a call in which the turn is nested. Only what comes before its start is known to come before the turn. */
function outerSide({ type }: Entry): Side {
  return type === 'call.judged' || type === 'call.released' || type === 'call.started' ? 'before' : undefined
}

interface Part {
  readonly turn: number
  readonly index: number | undefined
}

/** Compares two places level by level. `outside`: the first is a call in which the second is nested. */
function sideOf(own: readonly Part[], sought: readonly Part[]): Side | 'outside' {
  for (const [level, part] of own.entries()) {
    const other = sought[level]
    // It is inside of a call of the turn that is sought.
    if (!other) return 'after'
    if (part.turn !== other.turn) return part.turn < other.turn ? 'before' : 'after'
    // The answer that made the outer call comes before what is inside of it; the calls of the sought turn come after its answer.
    if (part.index === undefined) return 'before'
    if (other.index === undefined) return 'after'
    // Calls of one turn run side by side.
    if (part.index !== other.index) return undefined
  }
  return 'outside'
}

function partsOf(key: string): Part[] {
  const [, ...levels] = key.split('/')
  return levels.map((level) => {
    const [turn = '', index] = level.split('.')
    return { turn: Number(turn), index: index === undefined ? undefined : Number(index) }
  })
}

function runOf(key: string): string {
  const end = key.indexOf('/')
  return end < 0 ? key : key.slice(0, end)
}

/** The call, frame or run that an entry is about. */
function keyIn(entry: Entry): string | undefined {
  if ('call' in entry && typeof entry.call === 'string') return entry.call
  if (entry.type === 'run.opened') return entry.run
  return undefined
}
