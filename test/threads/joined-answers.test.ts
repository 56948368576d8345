import { expect, it } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../../src/index.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const approve = { type: 'approve' } as const

/** A thread that waits for its second approval, and an answer to its first, which changes nothing any more. */
async function waiting(threadId: string) {
  const pay = gated('pay', { parameters: z.object({ n: z.number() }) })
  const { agent } = scripted([calls(['a', 'pay', { n: 1 }]), calls(['b', 'pay', { n: 2 }]), 'Done.'], [pay])
  const thread = agent.thread(threadId, { store: memoryStore() })
  const first = (await thread.prompt('go')).requests[0]!
  const repeated = { id: first.id, answer: approve, by: 'ann' }
  const second = (await thread.respond(repeated)).requests[0]!
  return { pay, thread, repeated, answer: { id: second.id, answer: approve, by: 'ann' } }
}

it('an answer that arrives while a drive without anything to do ends is acted on, whenever it arrives', async () => {
  // One turn of the microtask queue later each time, until the drive is over when the answer arrives.
  for (let turns = 0; turns < 80; turns++) {
    const { pay, thread, repeated, answer } = await waiting(`t${turns}`)
    const idle = thread.respond(repeated)
    for (let turn = 0; turn < turns; turn++) await undefined
    const result = await thread.respond(answer)
    await idle
    expect([pay.runs.length, result.status], `${turns} turns later`).toEqual([2, 'completed'])
  }
})
