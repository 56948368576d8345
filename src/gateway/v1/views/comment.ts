import { shownActor } from '../../../core/views/request-view.ts'
import type { Note } from '../../../desk/notes.ts'
import type { RequestComment } from '../../../protocol/api/requests.ts'

/** A comment as people see it. `undefined`: the note is something else. */
export function toComment(note: Note): RequestComment | undefined {
  if (note.type !== 'comment') return undefined
  const { at, by, text } = note
  return { at, by: shownActor(by), text }
}
