import { describe, expect, test } from 'vitest'
import { asked, inTime, inWorld, pay, resumed, stateOf, type World } from '../../../src/testing/adapter-suite/tools.ts'
import { adapterConformance } from '../../../src/testing.ts'
import { describeAdapter } from './describe-adapter.ts'
import { type CodingAgent, claudeCode, claudeCodeResumed, gemini, hooksHarness } from './hooks-host.ts'

const agents = [
  ['Claude Code', claudeCode],
  ['Claude Code that continues a session', claudeCodeResumed],
  ['Gemini CLI, which has no call ids', gemini],
] as const

for (const [name, agent] of agents) describeAdapter(`the hooks of ${name}`, hooksHarness(agent))

/** A call that was approved and handed over, and whose agent was gone before its tool returned. Ten minutes have passed. */
async function lost(world: World) {
  const saved = await asked(world, await world.host(), [pay('c1')])
  await world.decideAll({ type: 'approve' })
  await inTime(
    new Promise<void>((died, failed) => {
      const paying = () => {
        died()
        return new Promise<never>(() => undefined)
      }
      const over = () => failed(new Error('the approved call did not run'))
      world
        .host({ paying })
        .then((host) => host.resume(saved))
        .then(over, failed)
    }),
  )
  world.clock?.advance(600_000)
  return saved
}

// What holds in place of the cases that are skipped.
describe.each(agents)('at the hooks of %s', (_, agent) => {
  test.each([
    ['is approved too, and both run', { type: 'approve' }, 'done', [20, 20]],
    ['is rejected, and one runs', { type: 'reject', message: 'Once.' }, 'refused', [20]],
  ] as const)('of two equal calls at once, the second is asked about when the first has run: it %s', (...given) => {
    const [, decision, status, amounts] = given
    return inWorld(hooksHarness(agent), async (world) => {
      const saved = await asked(world, await world.host(), [pay('c1'), pay('c2')])
      expect(await world.open()).toHaveLength(1)
      await world.decideAll({ type: 'approve' })
      const turn = await resumed(await world.host(), saved)
      expect(turn?.calls.map((call) => call.status).sort()).toEqual(['done', 'waiting'])
      expect(world.amounts).toEqual([20])
      const left = turn!.saved
      await resumed(await world.host(), left)
      expect(await world.open()).toHaveLength(1)
      await world.decideAll(decision)
      expect((await resumed(await world.host(), left))?.calls).toMatchObject([{ status }])
      expect(world.amounts).toEqual(amounts)
    })
  })

  test('a call that was handed over and has no end does not run again by itself, and nobody is asked what happened', () => {
    const work = async (world: World) => {
      const saved = await lost(world)
      for (let again = 0; again < 2; again++)
        expect(stateOf(await resumed(await world.host(), saved), 'c1').status).toBe('waiting')
      expect((await world.open()).map(({ reason }) => reason)).toEqual([undefined])
      await world.decideAll({ type: 'respond', message: 'It was paid.' })
      expect(stateOf(await resumed(await world.host(), saved), 'c1')).toMatchObject({
        status: 'refused',
        message: expect.stringContaining('It was paid.'),
      })
      expect(world.amounts).toEqual([20])
    }
    return inWorld(hooksHarness(agent, {}), work, { time: true })
  })

  test('a call that was handed over and has no end runs again once a person has approved that, once', () => {
    const work = async (world: World) => {
      const saved = await lost(world)
      expect(stateOf(await resumed(await world.host(), saved), 'c1').status).toBe('waiting')
      await world.decideAll({ type: 'approve' })
      expect(stateOf(await resumed(await world.host(), saved), 'c1').status).toBe('done')
      expect(world.amounts).toEqual([20, 20])
      expect(stateOf(await resumed(await world.host(), saved), 'c1').status).toBe('waiting')
      expect(await world.open()).toMatchObject([{ details: { earlier: { at: expect.any(String) } } }])
      expect(world.amounts).toEqual([20, 20])
    }
    return inWorld(hooksHarness(agent), work, { time: true })
  })

  test.each([
    [
      'runs what was denied',
      { ...agent, hear: (_said, args) => ({ runs: args }) },
      'a conversation that is resumed before the decision waits on, and nobody is asked twice',
      'the call c1 must wait',
    ],
    [
      'ignores changed arguments',
      {
        ...agent,
        hear: (said, args) => {
          const heard = agent.hear(said, args)
          return 'denied' in heard ? heard : { runs: args }
        },
      },
      'an edit elsewhere runs with the edited arguments, once',
      'deep-equal',
    ],
  ] satisfies [string, CodingAgent, string, string][])('the suite rejects an agent that %s', async (...given) => {
    const [, broken, name, problem] = given
    const rejecting = adapterConformance.find((one) => one.name === name)
    await expect(rejecting?.run(hooksHarness(broken))).rejects.toThrow(problem)
  })
})
