import { describe, expect, it } from 'vitest'
import type { HitlDetached, HitlRequest, ThreadResult } from '../../src/index.ts'
import { openDesk } from '../../src/index.ts'
import { type NotingTool, noting, notingGated } from '../support/agents/noting-tools.ts'
import { resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { eventsOf, typesOf } from '../support/agents/thread-events.ts'
import { channelKinds, scene, shown } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { soak } from '../support/soak.ts'
import { pause } from '../support/until.ts'

const yes = { type: 'approve' } as const
const ANN = { kind: 'person', id: 'ann' } as const

type Opened = ReturnType<ReturnType<typeof scene>['open']>

/** The ways to answer in this process. */
const doors: Record<string, (opened: Opened, request: HitlRequest, answer: unknown) => Promise<unknown>> = {
  'channel.answer': ({ channel }, { id }, answer) => channel.answer(id, answer, { by: ANN }),
  'thread.respond': ({ thread }, { id }, answer) => thread.respond({ questionId: id, answer }),
}

const orders = ['answer first', 'detach first'] as const

/** Fails unless the result is true of what is stored, and going on from it leads to the end. */
async function goesOn(result: ThreadResult, open: () => Opened): Promise<ThreadResult> {
  expect(['completed', 'incomplete', 'suspended']).toContain(result.status)
  if (result.status === 'completed') return result
  if (result.status === 'suspended') expect(result.requests).not.toEqual([])
  const { thread, channel } = open()
  channel.subscribe(({ id, kind }) => void channel.answer(id, kind === 'approve' ? yes : true))
  return thread.resume()
}

describe.each(channelKinds)('an answer and a detach at the same time (%s channel)', (kind) => {
  const cases = Object.keys(doors).flatMap((door) => orders.map((order) => [door, order] as const))

  it.each(cases)('%s, %s: a gate is carried out or the result is incomplete', async (door, order) => {
    const pay = notingGated('pay')
    const made = scene([calls(['c1', 'pay']), 'Done.'], [pay])
    const opened = made.open(kind)
    const prompting = opened.thread.prompt('go')
    const request = await shown(opened.channel)
    const act = [() => doors[door]!(opened, request, yes), () => opened.thread.detach()]
    if (order === 'detach first') act.reverse()
    await Promise.allSettled(act.map((one) => one()))
    const last = await goesOn(await prompting, () => made.open(kind))
    expect(last.status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  it.each(orders)(
    'of two gates one is answered, %s: it runs once, and what is said of the rest is true',
    async (order) => {
      const pay = notingGated('pay')
      const made = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [pay], { toolExecution: { start: 'cleared' } })
      const opened = made.open(kind)
      const prompting = opened.thread.prompt('go')
      await shown(opened.channel)
      const act = [() => opened.channel.answer('c1', yes), () => opened.thread.detach()]
      if (order === 'detach first') act.reverse()
      const outcomes = await Promise.allSettled(act.map((one) => one()))
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      const result = await prompting
      expect(result.requests.map(({ questionId }) => questionId)).toEqual(['c2'])
      // Suspended only if the answer was carried out.
      expect(result.status).toBe(pay.runs.length === 1 ? 'suspended' : 'incomplete')
      expect((await goesOn(result, () => made.open(kind))).status).toBe('completed')
      expect(pay.runs).toHaveLength(2)
    },
  )

  it('in any order and at any distance, nothing is lost and no result claims to wait for nobody', async () => {
    let [seed = 7] = soak.seeds(1, 1)
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const later = async (steps: number): Promise<void> => {
      for (let i = 0; i < steps; i++) await (i % 7 === 6 ? pause(0) : Promise.resolve())
    }
    for (let round = 0; round < soak.times(40, 800); round++) {
      const tools = roundTools()
      const made = scene([calls(['c1', 'pay'], ['c2', 'sure']), 'Done.'], tools.all)
      const opened = made.open(kind)
      opened.channel.subscribe(({ id, kind: asked }) => {
        void later(random(40)).then(() =>
          opened.channel.answer(id, asked === 'approve' ? yes : true).catch(() => undefined),
        )
      })
      const told = latch()
      opened.thread.subscribe(({ type }) => type === 'hitl_request' && told.open())
      const prompting = opened.thread.prompt('go')
      await told.passed
      await later(random(40))
      await opened.thread.detach()
      const result = await prompting
      const last = await goesOn(result, () => made.open(kind))
      expect(last.status).toBe('completed')
      expect(tools.pay.runs).toHaveLength(1)
      expect(resultsIn(last.messages)).toEqual([
        ['c1', 'pay done'],
        ['c2', 'true'],
      ])
    }
  }, 600_000)
})

function roundTools(): { pay: NotingTool; all: NotingTool[] } {
  const pay = notingGated('pay')
  return { pay, all: [pay, noting('sure', (_, ctx) => ctx.confirm('Sure?'), { resumable: true })] }
}

describe('a detach while a body waits on a channel that does not store questions', () => {
  it.each([true, false])('says so to the body, to listeners and to the caller (resumable: %s)', async (resumable) => {
    const thrown: unknown[] = []
    const ask = noting(
      'ask',
      (_, ctx) =>
        ctx.confirm('Sure?').catch((error: unknown) => {
          thrown.push(error)
          throw error
        }),
      { resumable },
    )
    const { open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel, events } = open('memory')
    const prompting = thread.prompt('go')
    const { questionId } = await shown(channel)
    await thread.detach()
    const result = await prompting
    expect(result).toMatchObject({ status: 'incomplete', requests: [] })
    expect(typesOf(events)).not.toContain('agent_suspended')
    expect(eventsOf(events, 'hitl_answer')).toMatchObject([{ questionId, cancelled: true, timedOut: false }])
    expect(thrown).toMatchObject([{ name: 'HitlDetached', stored: false }])
    expect((thrown[0] as HitlDetached).message).toMatch(/gone/)
    expect(channel.pending).toBeUndefined()
    // Entered again, or asked about: never silence.
    const next = open('memory')
    const going = next.thread.resume()
    const asked = await shown(next.channel)
    expect(asked.kind === 'confirm' ? 'asked again' : asked.reason).toBe(resumable ? 'asked again' : 'unknown_outcome')
    await next.channel.answer(asked.id, resumable ? true : { type: 'respond', message: 'it is fine' })
    expect((await going).status).toBe('completed')
  })

  it('finds it also behind the question of another thread that shares the channel', async () => {
    const wait = noting('wait', (_, ctx) => ctx.confirm('Sure?'), { resumable: true })
    const { agent, open } = scene([calls(['c1', 'wait']), calls(['c1', 'wait']), 'Done.', 'Done.'], [wait])
    const { thread, channel } = open('memory')
    const prompting = thread.prompt('go')
    await shown(channel)
    const other = agent.thread('other', { channel })
    const going = other.prompt('go')
    await pause(20)
    expect(channel.pending?.threadId).toBe('t')
    await other.detach()
    expect((await going).status).toBe('incomplete')
    expect(channel.pending?.threadId).toBe('t')
    await channel.answer(channel.pending!.id, true)
    expect((await prompting).status).toBe('completed')
  })
})

it('a decision made elsewhere while this process detaches is not called suspended', async () => {
  const pay = notingGated('pay')
  const made = scene([calls(['c1', 'pay']), 'Done.'], [pay])
  const { thread, channel } = made.open('durable')
  const prompting = thread.prompt('go')
  const { id } = await shown(channel)
  await Promise.all([openDesk({ store: made.store }).decide({ request: id, decision: yes, by: ANN }), thread.detach()])
  const result = await prompting
  expect(['completed', 'incomplete']).toContain(result.status)
  expect((await goesOn(result, () => made.open('durable'))).status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
})
