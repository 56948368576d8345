import { Agent, run, tool } from 'holdpoint'
import { z } from 'zod'
import { sleepUntil } from '../../support/sleep-until.js'
import { storeAt } from '../../support/stores/stored-at.js'

/**
 * One of many processes whose agent calls a tool that a grant covers, all at the same time. Says in one line of JSON what came of it.
 *
 * @typedef {{ path: string, name: string, threads: number, startAt: number }} Work
 */
const work = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
const store = storeAt(work.path, { durability: 'process' })

/** @type {number[]} */
const paid = []
const pay = tool({
  name: 'pay',
  description: 'does pay',
  parameters: z.looseObject({ amount: z.number().optional() }),
  needsApproval: true,
  execute: ({ amount = 0 }) => {
    paid.push(amount)
    return 'paid'
  },
})

/** @param {number} n */
async function spend(n) {
  let asked = false
  const agent = new Agent({
    name: 'payer',
    tools: [pay],
    model: {
      async respond() {
        if (asked) return { content: 'Done.' }
        asked = true
        return { toolCalls: [{ id: 'c', name: 'pay', args: { amount: 3 } }] }
      },
    },
  })
  return (await run(agent, 'go', { store, threadId: `${work.name}.${n}` })).status
}

await store.read('warm')
await sleepUntil(work.startAt)
const statuses = await Promise.all(Array.from({ length: work.threads }, (_, n) => spend(n)))
await store.close()
process.stdout.write(JSON.stringify({ statuses, paid }))
