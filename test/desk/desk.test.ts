import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  EditInvalid,
  HitlError,
  HitlNoPendingRequest,
  HitlStaleAnswer,
  memoryStore,
  openDesk,
  RunState,
  run,
  type Store,
} from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { DecisionInvalid } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { clockedStore } from '../support/stores/wrapped-stores.ts'

const ann = { kind: 'person', id: 'ann' } as const
const bob = { kind: 'person', id: 'bob' } as const

/** Even amounts only: more than a JSON Schema can say. */
const even = z.object({ n: z.number() }).refine(({ n }) => n % 2 === 0, 'odd')

async function asked(store = memoryStore()) {
  const pay = gated('pay', { parameters: even as never })
  const { agent, model } = scripted([calls(['a', 'pay', { n: 2 }], ['b', 'pay', { n: 4 }]), 'Done.'], [pay])
  const paused = await run(agent, 'go', { store, threadId: 't' })
  const resume = async () => run(agent, await RunState.load(agent, { threadId: 't', store }))
  return { store, desk: openDesk({ store }), pay, agent, model, paused, requests: paused.interruptions, resume }
}

test('the desk lists and decides requests without the agent', async () => {
  const { desk, pay, requests, resume } = await asked()
  const listed = await desk.list({ status: 'open', threadId: 't' })
  expect(listed.requests.map(({ id }) => id).sort()).toEqual(requests.map(({ id }) => id).sort())
  expect(await desk.get(requests[0]!.id)).toEqual(requests[0])
  await desk.decide(
    { request: requests[0]!.id, decision: { type: 'approve' }, by: ann },
    { request: requests[1]!, decision: { type: 'reject' }, by: ann },
  )
  expect((await desk.list({ status: 'open' })).requests).toEqual([])
  expect((await resume()).status).toBe('completed')
  expect(pay.runs.map(({ args }) => args)).toEqual([{ n: 2 }])
})

test('decisions made together are of one thread, at least one, and no request twice', async () => {
  const { store, desk, requests } = await asked()
  const { agent } = scripted([calls(['c', 'pay'])], [gated('pay')])
  const elsewhere = only(await run(agent, 'go', { store, threadId: 'other' }))
  const approve = { decision: { type: 'approve' }, by: ann }
  await refused(desk.decide(), InputInvalid, 'input_invalid')
  await refused(
    desk.decide({ request: requests[0]!, ...approve }, { request: elsewhere, ...approve }),
    InputInvalid,
    'input_invalid',
  )
  await refused(
    desk.decide({ request: requests[0]!, ...approve }, { request: requests[0]!.id, ...approve }),
    DecisionInvalid,
    'decision_invalid',
  )
  await refused(desk.decide({ request: 'nope', ...approve }), HitlNoPendingRequest, 'no_pending_request')
  expect((await desk.list({ status: 'open' })).requests).toHaveLength(3)
})

test('an edit is checked by the stored schema at the desk, and by the tool itself before it runs', async () => {
  const { desk, pay, requests, resume } = await asked()
  const edit = (args: object, toolName?: string) =>
    desk.decide({
      request: requests[0]!.id,
      decision: { type: 'edit', args, ...(toolName ? { toolName } : {}) },
      by: ann,
    })
  await refused(edit({ n: 'x' }), EditInvalid, 'edit_invalid')
  await refused(edit({ n: 2 }, 'wire'), EditInvalid, 'edit_invalid')
  await edit({ n: 3 })
  const again = await resume()
  expect(again.interruptions.map(({ id, version, problems }) => [id, version, problems])).toEqual([
    [requests[0]!.id, 3, ['odd']],
    [requests[1]!.id, 1, undefined],
  ])
  expect(pay.runs).toEqual([])
  // An answer to what was shown before is stale now.
  await refused(again.state.approve(requests[0]!), HitlStaleAnswer, 'stale_answer')
  await desk.decide({ request: requests[0]!.id, decision: { type: 'edit', args: { n: 6 } }, by: ann })
  await desk.decide({ request: requests[1]!.id, decision: { type: 'respond', message: 'done' }, by: ann })
  const result = await resume()
  expect(result.status).toBe('completed')
  expect(pay.runs.map(({ args, ctx }) => [args, ctx.approvedBy])).toEqual([[{ n: 6 }, ann]])
  expect(resultsIn(result.state.messages)[0]?.[1]).toMatch(/person changed this call/)
})

test('an answer names the version that it answers', async () => {
  const { desk, requests } = await asked()
  const answer = { request: requests[0]!.id, decision: { type: 'approve' }, by: ann }
  const error = await refused(desk.decide({ ...answer, version: 2 }), HitlStaleAnswer, 'stale_answer')
  expect(error.requestStatus).toBe('open')
  await desk.decide({ ...answer, version: 1 })
  await expect(desk.decide({ ...answer, version: 1 })).resolves.toMatchObject([{ version: 2 }])
  await refused(desk.decide({ ...answer, version: 2 }), HitlStaleAnswer, 'stale_answer')
})

test('a decision with an undo window takes effect after it, and not before', async () => {
  const { store, advance } = clockedStore()
  const { desk, pay, model, requests, resume } = await asked(store)
  const [decided] = await desk.decide({
    request: requests[0]!.id,
    decision: { type: 'approve' },
    by: ann,
    undoSeconds: 0.05,
  })
  const { at, effectiveAt } = decided!.decision!
  expect(Date.parse(effectiveAt) - Date.parse(at)).toBe(50)
  await desk.decide({
    request: requests[1]!.id,
    decision: { type: 'reject', message: 'no' },
    by: ann,
    undoSeconds: 0.05,
  })
  const going = resume()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(pay.runs).toEqual([])
  advance(60)
  expect((await going).status).toBe('completed')
  expect(pay.runs).toHaveLength(1)
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', 'pay done'],
    ['b', 'no'],
  ])
})

test("waiting for an undo window with start: 'settled' does not spin", async () => {
  const store = memoryStore()
  let reads = 0
  const counted: Store = {
    ...store,
    read(...args) {
      reads++
      return store.read(...args)
    },
  }
  const { agent } = scripted([calls(['a', 'pay'], ['b', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go', { store: counted, threadId: 't', toolExecution: { start: 'settled' } })
  const desk = openDesk({ store })
  await desk.decide({ request: paused.interruptions[0]!.id, decision: { type: 'approve' }, by: ann })
  await desk.decide({ request: paused.interruptions[1]!.id, decision: { type: 'approve' }, by: ann, undoSeconds: 0.1 })
  reads = 0
  expect((await run(agent, paused.state)).status).toBe('completed')
  expect(reads).toBeLessThan(10)
})

test('only its author may withdraw a decision, and only before its call started', async () => {
  const { desk, pay, requests, resume } = await asked()
  const [request] = requests
  await refused(desk.withdraw(request!, ann), HitlStaleAnswer, 'stale_answer')
  await desk.decide({ request: request!.id, decision: { type: 'approve' }, by: ann })
  await refused(desk.withdraw(request!, bob), HitlError, 'decision_not_allowed')
  await desk.withdraw(request!, ann)
  expect(await desk.get(request!.id)).toMatchObject({ status: 'open', version: 3 })
  expect((await resume()).interruptions).toHaveLength(2)
  expect(pay.runs).toEqual([])
  await desk.decide({ request: request!.id, decision: { type: 'approve' }, by: bob })
  await resume()
  expect(pay.runs).toHaveLength(1)
  await refused(desk.withdraw(request!, bob), HitlError, 'stale_answer')
})

test('a request can be found by its question id only within its thread', async () => {
  const { desk } = await asked()
  await refused(desk.get('a'), HitlNoPendingRequest, 'no_pending_request')
})

test('a desk that is given a question id without its thread says what is missing', async () => {
  const { desk } = await asked()
  const approve = { decision: { type: 'approve' }, by: ann }
  const error = await refused(desk.decide({ questionId: 'a', ...approve }), DecisionInvalid, 'decision_invalid')
  expect(error.message).toContain('threadId')
  expect(await desk.decide({ questionId: 'a', threadId: 't', ...approve })).toMatchObject([{ status: 'decided' }])
})

test('an invalid decision is refused with a full explanation', async () => {
  const { paused } = await asked()
  const odd = paused.state.decide({ decisions: [{ type: 'approve', ID: 'x' } as never, { type: 'approve' }] })
  const { message } = await refused(odd, DecisionInvalid, 'decision_invalid')
  expect(message).toMatch(/^This is not a decision: Unrecognized key: "ID"\. Use/)
})

test('a person at the desk and one at the state see each other', async () => {
  const { desk, agent, model, paused, requests } = await asked()
  await desk.decide({ request: requests[0]!.id, decision: { type: 'respond', message: 'by desk' }, by: ann })
  const error = await refused(paused.state.approve(requests[0]!), HitlStaleAnswer, 'stale_answer')
  expect(error).toMatchObject({ by: ann, decision: { type: 'respond', message: 'by desk' } })
  await paused.state.respond(requests[1]!, { message: 'by state' })
  await run(agent, paused.state)
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', 'by desk'],
    ['b', 'by state'],
  ])
  expect(() => toolMessage(model.requests[0]?.messages)).toThrow()
})
