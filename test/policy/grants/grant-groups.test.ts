import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, humanInTheLoop, memoryStore, RunState, run, tool } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ cents: z.number() }),
  execute: ({ cents }) => `paid ${cents}`,
})

function agent(...reviewers: string[]) {
  const calls = [1, 2].map((cents) => ({ toolCalls: [{ id: `c${cents}`, name: 'pay', args: { cents } }] }))
  const policy = humanInTheLoop({ interruptOn: { pay: { reviewers } } })
  return new Agent({ name: 'clerk', model: scriptedModel([...calls, 'Done.']), tools: [pay], policy })
}

test('a grant covers what its author could approve with the groups of that time, and nothing else', async () => {
  for (const [reviewers, covered] of [
    [['group:finance'], true],
    [['group:legal'], false],
    [['user:finance'], false],
  ] as const) {
    const store = memoryStore()
    const first = await run(agent('group:finance', 'group:legal'), 'go', { store, threadId: 't' })
    const by = { kind: 'person' as const, id: 'ann', groups: ['finance'] }
    await first.state.approve(first.interruptions[0]!, { by, always: true })
    // The second call is judged by a policy that names other reviewers.
    const later = agent(...reviewers)
    const state = await RunState.load(later, { threadId: 't', store })
    const second = await run(later, state)
    const open = second.interruptions.map(({ args }) => args)
    if (covered) expect(second).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
    else expect(open).toEqual([{ cents: 1 }])
  }
})
