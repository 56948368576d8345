import { isReviewer, listsOf } from '../../core/access.ts'
import { toLiveEvent } from '../../gateway/live/live-event.ts'
import { type Actor, openDesk, type Store } from '../../index.ts'
import { ReviewerNotAllowed } from '../../protocol/errors/errors.ts'
import { whoGoesOn } from '../../worker/shared/who-goes-on.ts'
import type { Seat, WatchOptions } from './seat.ts'
import { storeNotes } from './store-notes.ts'
import { storeRecords } from './store-records.ts'

/** A seat at a store. The author's name is not checked: anyone who can write the store could write any name into it. */
export function storeSeat(
  store: Store,
  { by, option, place }: { by: () => Actor; option: string; place: string },
): Seat {
  const desk = openDesk({ store })
  return {
    option,
    place,
    who: async () => by().id,
    list: (query) => desk.list(query),
    async get(id) {
      const request = await desk.get(id)
      const resumable = await whoGoesOn(store, request.threadId)
      return { ...request, ...(resumable && { resumable }) }
    },
    async decide(request, decision, terms) {
      // With the copy that was read, the desk refuses if the request is another one by now, or says who was faster.
      const [decided] = await desk.decide({ request, decision, by: by(), ...terms })
      return decided ?? request
    },
    answer: (request, answer, { always: _always, ...terms }) => desk.answer(request, answer, { by: by(), ...terms }),
    async cancel(request, { reason, version = request.version }) {
      const author = by()
      // The desk lets an application cancel its own questions. Here a person does.
      if (!isReviewer(author, listsOf(request))) throw new ReviewerNotAllowed(request.id, author.id)
      return desk.cancel(request, { reason, version, by: author })
    },
    withdraw: ({ id }) => desk.withdraw(id, by()),
    grants: ({ status, ...query }) => desk.grants({ status, limit: 200, ...query }),
    grant: (id) => desk.grant(id),
    revoke: (id, reason) => desk.revoke(id, { by: by(), ...(reason === undefined ? {} : { reason }) }),
    notes: storeNotes(desk, by),
    records: storeRecords(store, by),
    watch: (options) => watchOutbox(store, options),
  }
}

/** Reads the outbox from now on. It is of all tenants. */
async function watchOutbox(store: Store, { onChange, onState, signal }: WatchOptions): Promise<void> {
  let { end } = await store.outbox()
  onState?.('live')
  while (!signal.aborted) {
    await store.outboxChanged({ after: end, signal })
    const page = await store.outbox({ after: end, limit: 500 })
    if (page.missed) onChange({ type: 'reset' })
    for (const row of page.rows) {
      const event = row.tenantId === store.tenantId ? toLiveEvent(row) : undefined
      if (event) onChange(event)
    }
    end = page.end
  }
}
