import type { InboxClient } from '../../client.ts'
import type { SeatNotes } from './notes.ts'

/** Notes through a gateway. */
export function gatewayNotes(client: InboxClient): SeatNotes {
  return {
    comments: async ({ id }) => (await client.request(id)).comments,
    comment: ({ id }, text) => client.comment(id, { text }),
    async assign({ id }, { assignee, seconds, claim }) {
      const span = seconds === undefined ? {} : { seconds }
      const { assigned } = claim ? await client.claim(id, span) : await client.assign(id, { assignee, ...span })
      return assigned ?? null
    },
  }
}
