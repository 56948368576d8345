import { type Actor, openDesk, type Store } from '../../index.ts'
import type { Seat } from './seat.ts'

/** A seat at a store. The author is taken at his word: anyone who can write the store could write any name into it. */
export function storeSeat(store: Store, { by, option }: { by: () => Actor; option: string }): Seat {
  const desk = openDesk({ store })
  return {
    option,
    who: async () => by().id,
    list: (query) => desk.list(query),
    get: (id) => desk.get(id),
    async decide(request, decision, terms) {
      // With the copy that was read, the desk refuses if the request is another one by now, or says who was faster.
      const [decided] = await desk.decide({ request, decision, by: by(), ...terms })
      return decided ?? request
    },
    answer: (request, answer, { always: _always, ...terms }) => desk.answer(request, answer, { by: by(), ...terms }),
    async withdraw({ id }) {
      await desk.withdraw(id, by())
      return desk.get(id)
    },
    grants: ({ status, ...query }) => desk.grants({ status, limit: 200, ...query }),
    grant: (id) => desk.grant(id),
    revoke: (id, reason) => desk.revoke(id, { by: by(), ...(reason === undefined ? {} : { reason }) }),
  }
}
