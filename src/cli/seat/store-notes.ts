import type { RequestComment } from '../../client.ts'
import type { Actor, Desk } from '../../index.ts'
import type { SeatNotes } from './notes.ts'

/** Notes through the desk. */
export function storeNotes(desk: Desk, by: () => Actor): SeatNotes {
  return {
    comments: async (request) =>
      (await desk.notes(request)).flatMap((note) => (note.type === 'comment' ? [toComment(note)] : [])),
    async comment(request, text) {
      const note = await desk.comment(request, { text, by: by() })
      if (note.type !== 'comment') throw new TypeError('A comment was stored as another note.')
      return toComment(note)
    },
    assign: (request, to) => desk.assign(request, { ...to, by: by() }),
  }
}

function toComment({ at, by, text }: RequestComment): RequestComment {
  return { at, by, text }
}
