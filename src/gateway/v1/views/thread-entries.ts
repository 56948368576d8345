import type { StoredEntry } from '../../../ports/stored-entry.ts'
import type { Entry, EntryOf } from '../../../protocol/entries/entry.ts'
import { parseBody } from '../../../protocol/entries/versions.ts'
import { type CallKey, frameOf } from '../../../protocol/ids.ts'
import type { AssistantMessage } from '../../../protocol/message.ts'

/** One entry of a thread with its place. */
export interface ThreadEntry {
  readonly seq: number
  readonly at: number
  readonly entry: Entry
}

/** Entries of one type with their places. */
export type Placed<T extends Entry['type']> = ThreadEntry & { readonly entry: EntryOf<T> }

/** Parses what a store has of a thread. */
export function parseThread(threadId: string, stored: readonly StoredEntry[]): ThreadEntry[] {
  return stored.map(({ seq, at, body }) => ({ seq, at, entry: parseBody(body, { threadId, seq }) }))
}

/** Whether an entry is of a type. */
export function isOf<T extends Entry['type']>(type: T): (placed: ThreadEntry) => placed is Placed<T> {
  return (placed): placed is Placed<T> => placed.entry.type === type
}

/** The turn of a call: its frame and the number of the turn. */
export function turnOf(call: CallKey): string {
  return call.slice(0, call.lastIndexOf('.'))
}

/** The answer of the model that made a call. The last one counts: an earlier one of the same turn was discarded. */
export function answerWith(entries: readonly ThreadEntry[], call: CallKey): EntryOf<'model.answered'> | undefined {
  const turn = turnOf(call)
  return entries.filter(isOf('model.answered')).findLast(({ entry }) => `${entry.frame}/${entry.turn}` === turn)?.entry
}

/** The name of the tool that a call is for. */
export function toolOf(message: AssistantMessage | undefined, call: CallKey): string {
  return message?.toolCalls?.[Number(call.slice(call.lastIndexOf('.') + 1))]?.name ?? 'unknown'
}

/** The calls in which a call or frame is nested, from the inside out, without itself. */
export function outerCalls(key: string): CallKey[] {
  const outer = frameOf(key as CallKey)
  return outer.includes('/') ? [outer as CallKey, ...outerCalls(outer)] : []
}
