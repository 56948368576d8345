import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, type HitlRequest, memoryStore, openDesk, RunState, run, type Store, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'

const mail = tool({
  name: 'mail',
  description: 'Sends a mail.',
  parameters: z.object({ to: z.string() }),
  needsApproval: true,
  execute: () => 'sent',
})

async function pause(): Promise<{ agent: Agent; store: Store; state: RunState; request: HitlRequest }> {
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'mail', args: { to: 'ann' } }] }, 'done'])
  const agent = new Agent({ name: 'clerk', model, tools: [mail] })
  const store = memoryStore()
  const { state, interruptions } = await run(agent, 'go', { store, threadId: 't' })
  return { agent, store, state, request: interruptions[0]! }
}

/** Programs without types, and data that came from outside, can pass anything. */
const loose = <T>(value: unknown): T => value as T

async function expectStillOpen({ agent, store }: { agent: Agent; store: Store }): Promise<void> {
  const again = await RunState.load(agent, { store, threadId: 't' })
  expect(again.interruptions).toHaveLength(1)
  await again.approve('c1', { by: 'ann' })
  expect(await run(agent, again)).toMatchObject({ status: 'completed', finalOutput: 'done' })
}

const nobodies = [
  undefined,
  null,
  '',
  7,
  [],
  {},
  { kind: 'human', id: 'ann' },
  { kind: 'person', id: 7 },
  { kind: 'person', id: '' },
]

describe('a decision that nobody could be held to', () => {
  it.each(nobodies.map((by) => [JSON.stringify(by) ?? 'nothing', by]))(
    'is refused at the desk: by %s',
    async (_, by) => {
      const paused = await pause()
      const desk = openDesk({ store: paused.store })
      const { request } = paused
      const invalid = { code: 'decision_invalid' }
      await expect(desk.decide({ request, decision: { type: 'approve' }, by: loose(by) })).rejects.toMatchObject(
        invalid,
      )
      await expect(desk.answer(request, { type: 'approve' }, { by: loose(by) })).rejects.toMatchObject(invalid)
      await expect(desk.cancel(request, { reason: 'x', by: loose(by) })).rejects.toMatchObject(invalid)
      await expectStillOpen(paused)
    },
  )

  it('is refused on a state and on a thread', async () => {
    const paused = await pause()
    const { state, request, agent, store } = paused
    const invalid = { code: 'decision_invalid' }
    await expect(state.approve(request, { by: loose(7) })).rejects.toMatchObject(invalid)
    const response = { answer: { type: 'approve' }, by: loose<string>(7) }
    await expect(agent.thread('t', { store }).respond(response)).rejects.toMatchObject(invalid)
    await expect(agent.thread('t', { store }).abortPending({ reason: loose(7) })).rejects.toMatchObject({
      code: 'input_invalid',
    })
    await expectStillOpen(paused)
  })
})

describe('what goes beside a decision', () => {
  const by = { kind: 'person', id: 'ann' } as const

  it.each([['60'], [-1], [Number.NaN], [1e300]])('undoSeconds %s is refused', async (undoSeconds) => {
    const paused = await pause()
    const { request, store } = paused
    const answer = { request, decision: { type: 'approve' }, by, undoSeconds: loose<number>(undoSeconds) }
    await expect(openDesk({ store }).decide(answer)).rejects.toMatchObject({ code: 'decision_invalid' })
    await expectStillOpen(paused)
  })

  it('a comment that is no string is refused', async () => {
    const paused = await pause()
    const options = { by: 'ann', comment: loose<string>(7) }
    await expect(paused.state.approve(paused.request, options)).rejects.toMatchObject({ code: 'decision_invalid' })
    await expectStillOpen(paused)
  })

  it('a misspelt option decides nothing, on a state and at the desk', async () => {
    const paused = await pause()
    const { state, request, store } = paused
    const unknown = { code: 'input_invalid', message: expect.stringContaining('has no option') }
    await expect(state.approve(request, loose({ allways: true }))).rejects.toMatchObject(unknown)
    await expect(state.approve(request, loose({ undoSecond: 60 }))).rejects.toMatchObject(unknown)
    await expect(state.reject(request, loose({ mesage: 'No.' }))).rejects.toMatchObject(unknown)
    await expect(state.edit(request, loose({ args: { to: 'bob' }, reason: 'x' }))).rejects.toMatchObject(unknown)
    await expect(state.respond(request, loose({ message: 'x', bye: 'ann' }))).rejects.toMatchObject(unknown)
    await expect(state.answer(request, { type: 'approve' }, loose({ who: 'ann' }))).rejects.toMatchObject(unknown)
    const batch = { decisions: [{ type: 'approve' }], coment: 'x' }
    await expect(state.decide(loose(batch))).rejects.toMatchObject(unknown)
    const answer = { request, decision: { type: 'approve' }, by, undoSecond: 60 }
    await expect(openDesk({ store }).decide(answer)).rejects.toMatchObject(unknown)
    await expectStillOpen(paused)
  })

  it('a string in the place of the options decides nothing', async () => {
    const paused = await pause()
    const rejecting = paused.state.reject(paused.request, loose('Not today.'))
    await expect(rejecting).rejects.toMatchObject({ message: 'state.reject() takes its options as an object.' })
    await expectStillOpen(paused)
  })
})

describe('what is listed at the desk', () => {
  it('is refused under a misspelt filter, which would list the requests of every thread', async () => {
    const { store } = await pause()
    const desk = openDesk({ store })
    const invalid = { code: 'input_invalid' }
    await expect(desk.list(loose({ thread: 'other' }))).rejects.toMatchObject(invalid)
    await expect(desk.list({ status: loose('opne') })).rejects.toMatchObject(invalid)
    await expect(desk.grants(loose({ thread: 'other' }))).rejects.toMatchObject(invalid)
  })
})
