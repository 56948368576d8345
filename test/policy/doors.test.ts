import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Actor, Agent, humanInTheLoop, memoryStore, openDesk, RunState, run, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ cents: z.number() }),
  execute: ({ cents }) => `paid ${cents}`,
})

/** An agent that pays twice. Each list of doors is a policy of its own. */
function agent(...doors: (readonly string[] | undefined)[]) {
  const calls = [1, 2].map((cents) => ({ toolCalls: [{ id: `c${cents}`, name: 'pay', args: { cents } }] }))
  const policy = doors.map((via, index) =>
    humanInTheLoop({ name: `p${index}`, interruptOn: { pay: via === undefined ? true : { via } } }),
  )
  return new Agent({ name: 'clerk', model: scriptedModel([...calls, 'Done.']), tools: [pay], policy })
}

const ann = (via?: string): Actor => ({ kind: 'person', id: 'ann', ...(via === undefined ? {} : { via }) })

describe('a request that names its doors', () => {
  test('is decided through one of them, and stays open otherwise', async () => {
    const store = memoryStore()
    const { interruptions } = await run(agent(['inbox', 'slack']), 'go', { store, threadId: 't' })
    const desk = openDesk({ store })
    const [request] = interruptions
    expect(request?.via).toEqual(['inbox', 'slack'])
    const decide = (by: Actor) => desk.decide({ request: request!, decision: { type: 'approve' }, by })
    for (const by of [ann(), ann('cli'), ann('link'), ann('api'), { ...ann('inbox'), kind: 'system' } as Actor])
      await expect(decide(by), JSON.stringify(by)).rejects.toMatchObject({
        code: 'reviewer_not_allowed',
        message: expect.stringContaining('inbox, slack'),
      })
    await expect(desk.decide({ request: request!, decision: { type: 'reject' }, by: ann('cli') })).rejects.toThrow()
    expect((await desk.get(request!.id)).status).toBe('open')
    expect(await decide(ann('slack'))).toMatchObject([{ status: 'decided' }])
  })

  test('of several policies only doors that all accept count', async () => {
    const { interruptions } = await run(agent(['inbox', 'slack'], undefined, ['slack', 'cli']), 'go')
    expect(interruptions[0]?.via).toEqual(['slack'])
    const failed = await run(agent(['inbox'], ['cli']), 'go')
    expect(failed).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('No door') } })
  })

  test('is not covered by a standing decision that came through another door', async () => {
    for (const [via, covered] of [
      ['inbox', true],
      ['cli', false],
    ] as const) {
      const store = memoryStore()
      const first = await run(agent(undefined), 'go', { store, threadId: 't' })
      await first.state.approve(first.interruptions[0]!, { by: ann(via), always: true })
      const later = agent(['inbox'])
      const second = await run(later, await RunState.load(later, { threadId: 't', store }))
      expect(second.interruptions.length === 0).toBe(covered)
    }
  })

  test('must name them well', () => {
    for (const via of [[], [''], 'inbox', [7]]) expect(() => agent(via as string[])).toThrow(/has a via/)
  })
})
