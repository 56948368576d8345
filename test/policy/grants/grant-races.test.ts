import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDesk, run } from '../../../src/index.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { EntryOf } from '../../../src/protocol/entries/entry.ts'
import { only } from '../../support/agents/results.ts'
import { soak } from '../../support/soak.ts'
import { entriesOf } from '../../support/stores/entries.ts'
import { payer, stores } from '../payer.ts'

/** How many times each of these races is run. */
const ROUNDS = soak.times(8, 30)

test.each(stores)(
  'of two threads that spend the last use, %s, exactly one wins and the other is asked',
  async (_, open) => {
    const store = open()
    for (let round = 0; round < ROUNDS; round++) {
      const giver = payer([{}], undefined, { id: `agent${round}` })
      const given = await run(giver.agent, 'go', { store, threadId: `given${round}` })
      await given.state.approve(only(given), { always: { scope: 'agent', uses: 1 } })
      const racers = [0, 1, 2].map(() => payer([{}], undefined, { id: `agent${round}` }))
      const results = await Promise.all(
        racers.map(({ agent }, n) => run(agent, 'go', { store, threadId: `racer${round}.${n}` })),
      )
      expect(results.map(({ status }) => status).sort()).toEqual(['completed', 'interrupted', 'interrupted'])
      expect(racers.reduce((sum, { pay }) => sum + pay.runs.length, 0)).toBe(1)
    }
  },
)

test.each(stores)('G2: whatever threads do at once, %s, a cap is never passed', async (_, open) => {
  const store = open()
  let runs = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom(0, 0.1, 0.2, 1, 3, 7), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.constantFrom(0.3, 5, 10),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      async (threads, max, uses) => {
        const name = `r${++runs}`
        const giver = payer([{}], undefined, { id: name })
        const given = await run(giver.agent, 'go', { store, threadId: `${name}.given` })
        const cap = { field: 'amount', max }
        const always = { scope: 'agent', cap, ...(uses === undefined ? {} : { uses }) } as const
        await given.state.approve(only(given), { always })
        const payers = threads.map((amounts) => payer([amounts.map((amount) => ({ amount }))], undefined, { id: name }))
        await Promise.all(payers.map(({ agent }, n) => run(agent, 'go', { store, threadId: `${name}.${n}` })))
        const [grant] = (await openDesk({ store }).grants({ status: 'all', agent: name })).grants
        const released = await releasedBy(
          store,
          grant!.id,
          threads.map((_amounts, n) => `${name}.${n}`),
        )
        const ran = payers.flatMap(({ pay }) => pay.runs.map(({ args }) => (args as { amount: number }).amount))
        expect(released.map(({ amount }) => amount).sort()).toEqual(ran.sort())
        expect(grant!.used).toBe(ran.length)
        expect(grant!.spent).toBeLessThanOrEqual(max)
        expect(grant!.spent).toBeCloseTo(ran.reduce((sum, amount) => sum + amount, 0))
        if (uses !== undefined) expect(ran.length).toBeLessThanOrEqual(uses)
      },
    ),
    soak.runs(25, 150),
  )
})

async function releasedBy(store: Store, id: string, threadIds: string[]): Promise<EntryOf<'call.released'>[]> {
  const entries = await Promise.all(threadIds.map((threadId) => entriesOf(store, threadId)))
  return entries
    .flat()
    .filter((entry): entry is EntryOf<'call.released'> => entry.type === 'call.released')
    .filter(({ by }) => by.id === id)
}
