import { expect, test } from 'vitest'
import { createGate, HoldpointNotReleased, OutcomeUnknown } from '../../src/gate.ts'
import { definePolicy, humanInTheLoop, memoryStore, openDesk, type Store, StoreFailed, sweep } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { until } from '../support/until.ts'
import { ann, counted, gateOf, held, policy, refund } from './gate.ts'

test('wait resolves when a person elsewhere decides, and with held when its time is over', async () => {
  const store = memoryStore()
  const gate = gateOf(store)
  const request = await held(gate, refund())
  expect(await gate.wait(refund(), { timeoutSeconds: 0 })).toMatchObject({
    status: 'held',
    request: { id: request.id },
  })
  const waiting = gate.wait(refund(), { timeoutSeconds: 60 })
  await openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: ann })
  expect(await waiting).toMatchObject({ status: 'released', args: refund().args, by: ann })
})

test('a host that gives up leaves the request open', async () => {
  const gate = gateOf(memoryStore())
  const request = await held(gate, refund())
  const gone = new AbortController()
  const waiting = gate.wait(refund(), { signal: gone.signal, timeoutSeconds: 60 })
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(await gate.state(refund())).toMatchObject({ status: 'held', request: { id: request.id, status: 'open' } })
})

test('a call does not start within the undo window of its approval, nor after that was withdrawn', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const gate = gateOf(store)
  const desk = openDesk({ store })
  const request = await held(gate, refund())
  await desk.decide({ request, decision: { type: 'approve' }, by: ann, undoSeconds: 10 })
  expect(await gate.state(refund())).toMatchObject({ status: 'held', request: { status: 'decided' } })
  expect(await gate.judge([refund()])).toMatchObject([{ status: 'held' }])
  await desk.withdraw(request.id, ann)
  const { runs, run } = counted()
  await expect(gate.execute(refund(), run)).rejects.toMatchObject({ status: 'held' })
  await desk.decide({ id: request.id, decision: { type: 'approve' }, by: ann, undoSeconds: 10 })
  const waiting = gate.wait(refund(), { timeoutSeconds: 60 })
  await clock.advance(10_000)
  expect(await waiting).toMatchObject({ status: 'released' })
  await gate.execute(refund(), run)
  expect(runs.length).toBe(1)
})

test('a request that nobody answers in time is refused, also if only the sweeper saw it', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const rules = humanInTheLoop({ interruptOn: { refund: { timeoutSeconds: 60 } } })
  const gate = gateOf(store, { policy: rules })
  const swept = refund({ callId: 'swept' })
  await held(gate, refund())
  await held(gate, swept)
  await clock.advance(61_000)
  const late = { status: 'refused', message: 'Not run: nobody answered in time.', isError: true }
  expect(await gate.state(refund())).toEqual(late)
  expect(await gate.judge([refund()])).toEqual([late])
  await sweep(store)
  expect([await gate.state(swept), await gate.wait(swept)]).toEqual([late, late])
})

test('no worker is woken for a call from outside', async () => {
  const store = memoryStore()
  const gate = gateOf(store)
  const marks: unknown[] = []
  const look = async (threadId: string) =>
    marks.push((await store.read(threadId)).wake.at, (await store.ready()).threads)
  const request = await held(gate, refund())
  await look(request.threadId)
  await gate.decide(request, { type: 'approve' }, { by: ann })
  await look(request.threadId)
  await gate.execute(refund(), async () => {
    await look(request.threadId)
    return 'done'
  })
  await look(request.threadId)
  expect(marks).toEqual([null, [], null, [], null, [], null, []])
})

test('a changed definition, preview or precondition is asked about again before the call runs', async () => {
  const definition = { description: 'Refunds', parameters: { type: 'object' } }
  const changes = [
    { definition: { ...definition, description: 'Refunds, and more' } },
    { preview: 'balance 0' },
    { preconditions: { version: 2 } },
  ]
  for (const changed of changes) {
    const gate = gateOf(memoryStore())
    const shown = refund({ definition, preview: 'balance 100', preconditions: { version: 1 } })
    await gate.decide(await held(gate, shown), { type: 'approve' }, { by: ann })
    const { runs, run } = counted()
    await expect(gate.execute({ ...shown, ...changed }, run)).rejects.toMatchObject({ status: 'held' })
    const [state] = await gate.judge([{ ...shown, ...changed }])
    expect(state).toMatchObject({ status: 'held', request: { reason: 'changed' } })
    expect(runs).toEqual([])
  }
})

test('what a host leaves out when it executes is as it was judged', async () => {
  const gate = gateOf(memoryStore())
  const definition = { description: 'Refunds', parameters: { type: 'object' }, annotations: { destructive: true } }
  const facts = { definition, preview: { show: 'long', compare: 'short' }, preconditions: 1 }
  await gate.decide(await held(gate, refund(facts)), { type: 'approve' }, { by: ann })
  const { runs, run } = counted()
  await gate.execute(refund(), run)
  expect(runs.length).toBe(1)
})

test('arguments that do not fit the host definition are refused, and an edit that does not is reopened', async () => {
  const gate = gateOf(memoryStore())
  const parameters = { type: 'object', properties: { amount: { type: 'number', maximum: 100 } } }
  const call = refund({ definition: { description: '', parameters } })
  const wrong = refund({ ...call, args: { amount: 101 } })
  expect(await gate.judge([wrong])).toMatchObject([{ status: 'refused', isError: true }])
  const request = await held(gate, call)
  await expect(gate.decide(request, { type: 'edit', args: { amount: 500 } }, { by: ann })).rejects.toMatchObject({
    code: 'edit_invalid',
  })
})

test('a grant lets later calls of the gate through, and is spent once for each', async () => {
  const store = memoryStore()
  const gate = gateOf(store)
  const request = await held(gate, refund())
  const always = { scope: 'agent', uses: 1 } as const
  await openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: ann, always })
  const second = refund({ callId: 'call-2', threadId: 'chat-2' })
  expect(await gate.judge([second])).toMatchObject([{ status: 'released', by: { kind: 'grant' } }])
  const { runs, run } = counted()
  await gate.execute(second, run)
  expect(runs.length).toBe(1)
  expect(await gate.judge([refund({ callId: 'call-3' })])).toMatchObject([{ status: 'held' }])
})

test('policies see the conversation, the context and the call', async () => {
  const seen: unknown[] = []
  const watching = definePolicy(
    ({ toolName, args, runContext, messages, agent }) => {
      seen.push({ toolName, args, context: runContext.context, messages, agent })
      return { verdict: 'deny', reason: 'not today' }
    },
    { name: 'watching', version: '1' },
  )
  const gate = gateOf(memoryStore(), { policy: [policy, watching], agent: 'shop' })
  const messages = [{ role: 'user', content: 'refund me' }] as const
  const call = refund({ context: { user: 'u1' }, messages: [...messages] })
  expect(await gate.judge([call])).toEqual([{ status: 'refused', message: 'Not run: not today', isError: true }])
  expect(seen).toEqual([{ toolName: 'refund', args: call.args, context: { user: 'u1' }, messages, agent: 'shop' }])
})

test('an unknown outcome is handled as the gate says: asked, retried or failed', async () => {
  const lost = () => Promise.reject(new OutcomeUnknown('connection lost'))
  const outcomes = []
  for (const onUnknownOutcome of ['ask', 'retry', 'fail'] as const) {
    const gate = gateOf(memoryStore(), { onUnknownOutcome })
    await gate.decide(await held(gate, refund()), { type: 'approve' }, { by: ann })
    const keys = new Set<string>()
    let tries = 0
    const flaky = (_args: object, { idempotencyKey }: { idempotencyKey: string }) => {
      keys.add(idempotencyKey)
      return tries++ === 0 ? lost() : Promise.resolve('done')
    }
    const result = await gate.execute(refund(), flaky).catch((error: Error) => error.name)
    outcomes.push([result, tries, keys.size, (await gate.judge([refund()]))[0]?.status])
  }
  expect(outcomes).toEqual([
    ['OutcomeUnknown', 1, 1, 'unknown'],
    ['done', 2, 1, 'finished'],
    ['OutcomeUnknown', 1, 1, 'refused'],
  ])
})

test('a person who is asked about an unknown outcome can say what happened, or let it run again', async () => {
  const lost = () => Promise.reject(new OutcomeUnknown('connection lost'))
  const ask = async (decision: Parameters<ReturnType<typeof gateOf>['decide']>[1]) => {
    const gate = gateOf(memoryStore())
    await gate.decide(await held(gate, refund()), { type: 'approve' }, { by: ann })
    await expect(gate.execute(refund(), lost)).rejects.toThrow(OutcomeUnknown)
    const [state] = await gate.judge([refund()])
    if (state?.status !== 'unknown' || !state.request) throw new Error('nobody is asked')
    expect(state.request.reason).toBe('unknown_outcome')
    await gate.decide(state.request, decision, { by: ann })
    return gate
  }
  const known = await ask({ type: 'respond', message: 'it went through' })
  expect(await known.wait(refund())).toEqual({ status: 'refused', message: 'it went through', isError: false })
  const again = await ask({ type: 'approve' })
  const { runs, run } = counted()
  await again.execute(refund(), run)
  expect(runs.length).toBe(1)
})

test('a store that is down refuses: nothing is judged, read or run', async () => {
  const store = memoryStore()
  const down = { now: false }
  const failing = new Proxy(store, {
    get: (target, name: keyof Store) => {
      const value = target[name]
      if (typeof value !== 'function' || !down.now) return value
      return () => Promise.reject(new StoreFailed('down', undefined))
    },
  })
  const gate = gateOf(failing)
  await gate.decide(await held(gate, refund()), { type: 'approve' }, { by: ann })
  const { runs, run } = counted()
  down.now = true
  await expect(gate.judge([refund({ callId: 'other' })])).rejects.toThrow(StoreFailed)
  await expect(gate.execute(refund(), run)).rejects.toThrow(StoreFailed)
  await expect(gate.state(refund())).rejects.toThrow(StoreFailed)
  await expect(gate.spend(refund())).rejects.toThrow(StoreFailed)
  expect(runs).toEqual([])
  down.now = false
  await gate.execute(refund(), run)
  expect(runs.length).toBe(1)
})

test('a result that could not be recorded is not handed out, and its outcome is asked about', async () => {
  const store = memoryStore()
  const down = { now: false }
  const failing = new Proxy(store, {
    get: (target, name: keyof Store) =>
      down.now && name === 'append' ? () => Promise.reject(new StoreFailed('down', undefined)) : target[name],
  })
  await gateOf(store).decide(await held(gateOf(store), refund()), { type: 'approve' }, { by: ann })
  const paid = gateOf(failing).execute(refund(), () => {
    down.now = true
    return Promise.resolve('paid')
  })
  await expect(paid).rejects.toThrow(StoreFailed)
  const { runs, run } = counted()
  const other = gateOf(store)
  // The lease of the process that failed runs out by itself.
  expect(await other.state(refund())).toEqual({ status: 'unknown' })
  expect(await other.spend(refund())).toEqual({ status: 'unknown' })
  await expect(other.execute(refund(), run, { signal: AbortSignal.timeout(50) })).rejects.toThrow()
  expect(runs).toEqual([])
})

test('onSettled tells of each settled request at least once, with the bookmark, also of those before it began', async () => {
  const store = memoryStore()
  const gate = gateOf(store)
  await gate.bookmark('chat-1', { state: 'text' })
  await gate.bookmark('chat-2', new Uint8Array([1, 2]))
  const before = await held(gate, refund())
  await gate.decide(before, { type: 'reject' }, { by: ann })
  const told: [string, unknown][] = []
  let failures = 1
  {
    await using _telling = gate.onSettled(async (request, bookmark) => {
      if (request.threadId === before.threadId && failures-- > 0) throw new Error('the host is down')
      told.push([request.id, bookmark])
    })
    await using _foreign = gateOf(store, { source: 'other' }).onSettled(async () => {
      told.push(['foreign', undefined])
    })
    const second = await held(gate, refund({ threadId: 'chat-2' }))
    await gate.decide(second, { type: 'approve' }, { by: ann })
    await until(() => told.length === 2)
    expect(new Map(told)).toEqual(
      new Map<string, unknown>([
        [before.id, { state: 'text' }],
        [second.id, new Uint8Array([1, 2])],
      ]),
    )
  }
  const after = await held(gate, refund({ threadId: 'chat-3' }))
  await gate.decide(after, { type: 'approve' }, { by: ann })
  await using _later = gateOf(store).onSettled(async (request) => {
    told.push([request.id, 'later'])
  })
  await until(() => told.length === 3)
  expect(told[2]).toEqual([after.id, 'later'])
})

test('a gate belongs to its tenant', async () => {
  const store = memoryStore()
  await held(gateOf(store, { tenant: 'a' }), refund())
  expect(await gateOf(store, { tenant: 'b' }).state(refund())).toMatchObject({ status: 'refused' })
  expect((await openDesk({ store: store.tenant('b') }).list()).requests).toEqual([])
  expect((await openDesk({ store: store.tenant('a') }).list()).requests.length).toBe(1)
})

test('mistakes are refused when the gate is made, and calls are checked', async () => {
  const store = memoryStore()
  const make = (options: object) => () => createGate({ store, policy, source: 'x', ...options } as never)
  expect(make({ policies: policy })).toThrow(/policies/)
  expect(make({ policy: [] })).toThrow(/policy/)
  expect(make({ policy: undefined })).toThrow(/policy/)
  expect(make({ source: '' })).toThrow(/source/)
  expect(make({ holdSeconds: -1 })).toThrow(/holdSeconds/)
  expect(make({ onUnknownOutcome: 'maybe' })).toThrow(/onUnknownOutcome/)
  expect(make({ store: 'file.db' })).toThrow(/store/)
  const gate = gateOf(store)
  const wrong = [
    { args: [] },
    { threadId: '' },
    { toolName: 7 },
    { callID: 'x' },
    { args: { at: new Date() } },
    { messages: [{}] },
  ]
  for (const one of wrong)
    await expect(gate.judge([refund(one as never)])).rejects.toMatchObject({ code: 'input_invalid' })
  await expect(gate.execute(refund(), undefined as never)).rejects.toMatchObject({ code: 'input_invalid' })
  await expect(gate.judge([refund({ toolName: 'no spaces' })])).rejects.toMatchObject({ code: 'tool_invalid' })
  expect((await store.threads()).threads).toEqual([])
})

test('a refused call says why when it is executed', async () => {
  const gate = gateOf(memoryStore())
  await gate.decide(await held(gate, refund()), { type: 'reject', message: 'too much' }, { by: ann })
  const failed = await gate.execute(refund(), () => Promise.resolve(1)).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(HoldpointNotReleased)
  expect(failed).toMatchObject({ message: 'too much', status: 'refused', toolName: 'refund' })
})
