import { describe, expect, test } from 'vitest'
import { CallFailed, HoldpointNotReleased } from '../../src/gate.ts'
import { openDesk } from '../../src/index.ts'
import { racePlaces } from '../races/places.ts'
import { ann, counted, gateOf, held, refund } from './gate.ts'

describe.each(racePlaces())('a gate %s', (_name, place) => {
  test('a held call runs once after approval, and its replay gets the stored result', async () => {
    const open = place()
    const request = await held(gateOf(open()), refund())
    expect(request).toMatchObject({ toolName: 'refund', args: { amount: 20 }, agent: 'test', status: 'open' })
    await openDesk({ store: open() }).decide({ request, decision: { type: 'approve' }, by: ann })
    const { runs, run } = counted()
    for (const store of [open(), open()]) {
      const gate = gateOf(store)
      expect(await gate.execute(refund(), run)).toEqual({ refunded: refund().args })
      expect(await gate.state(refund())).toEqual({
        status: 'finished',
        result: { refunded: refund().args },
        isError: false,
      })
      expect(await gate.judge([refund()])).toMatchObject([{ status: 'finished' }])
    }
    expect(runs).toEqual([refund().args])
  })

  test('a free call is recorded, and runs once', async () => {
    const open = place()
    const call = refund({ toolName: 'look_up' })
    const gate = gateOf(open())
    expect(await gate.judge([call])).toMatchObject([{ status: 'free', call: { callKey: expect.any(String) } }])
    const { runs, run } = counted()
    await gate.execute(call, run)
    await gateOf(open()).execute(call, run)
    expect(runs.length).toBe(1)
  })

  test('changed arguments are not released by the approval of others', async () => {
    const open = place()
    const gate = gateOf(open())
    const request = await held(gate, refund())
    await gate.decide(request, { type: 'approve' }, { by: ann })
    const changed = refund({ args: { order: 'A-1', amount: 2000 } })
    const { runs, run } = counted()
    await expect(gate.execute(changed, run)).rejects.toThrow(HoldpointNotReleased)
    expect(await gate.state(changed)).toMatchObject({ status: 'refused', isError: true })
    expect((await held(gate, changed)).args).toEqual(changed.args)
    await expect(gate.execute(changed, run)).rejects.toThrow(HoldpointNotReleased)
    expect(runs).toEqual([])
  })

  test('a call that was never judged is refused, and leaves no trace', async () => {
    const store = place()()
    const gate = gateOf(store)
    const { runs, run } = counted()
    const free = refund({ toolName: 'look_up' })
    for (const call of [refund(), free]) {
      await expect(gate.execute(call, run)).rejects.toMatchObject({ code: 'not_released', status: 'refused' })
      expect(await gate.state(call)).toMatchObject({ status: 'refused' })
      expect(await gate.spend(call)).toMatchObject({ status: 'refused' })
      await expect(gate.finished(call, { result: 1 })).rejects.toThrow(HoldpointNotReleased)
    }
    expect([runs, (await store.threads()).threads]).toEqual([[], []])
  })

  test('an undecided call does not run on resume, and is asked about once', async () => {
    const open = place()
    const request = await held(gateOf(open()), refund())
    const again = gateOf(open())
    expect(await again.judge([refund()])).toMatchObject([{ status: 'held', request: { id: request.id } }])
    const { runs, run } = counted()
    await expect(again.execute(refund(), run)).rejects.toMatchObject({ status: 'held', requestId: request.id })
    expect(await again.spend(refund())).toMatchObject({ status: 'held' })
    expect(runs).toEqual([])
    expect((await openDesk({ store: open() }).list()).requests.length).toBe(1)
  })

  test('a rejection, a message in its place and a denial refuse the call for good', async () => {
    const gate = gateOf(place()())
    const { runs, run } = counted()
    const decide = async (id: string, decision: Parameters<typeof gate.decide>[1]) => {
      const call = refund({ callId: id })
      await gate.decide(await held(gate, call), decision, { by: ann })
      const read = await gate.state(call)
      expect(await gate.judge([call])).toEqual([read])
      await expect(gate.execute(call, run)).rejects.toThrow(HoldpointNotReleased)
      return read
    }
    const rejected = await decide('r', { type: 'reject', message: 'too much' })
    expect(rejected).toEqual({ status: 'refused', message: 'too much', isError: true })
    const responded = await decide('s', { type: 'respond', message: 'done by hand' })
    expect(responded).toEqual({ status: 'refused', message: 'done by hand', isError: false })
    expect(runs).toEqual([])
  })

  test('an edit runs with the edited arguments, and its replay gives the value back', async () => {
    const open = place()
    const gate = gateOf(open())
    const edited = { order: 'A-1', amount: 5 }
    await gate.decide(await held(gate, refund()), { type: 'edit', args: edited }, { by: ann })
    expect(await gateOf(open()).state(refund())).toMatchObject({ status: 'released', args: edited, by: ann })
    const { runs, run } = counted()
    expect(await gate.execute(refund(), run)).toEqual({ refunded: edited })
    expect(await gateOf(open()).execute(refund(), run)).toEqual({ refunded: edited })
    expect(runs).toEqual([edited])
    const words = refund({ callId: 'words' })
    await gate.decide(await held(gate, words), { type: 'edit', args: edited }, { by: ann })
    expect(await gate.execute(words, () => Promise.resolve('done'))).toBe('done')
    expect(await gateOf(open()).execute(words, () => Promise.resolve('again'))).toBe('done')
  })

  test('the same call id with other arguments, in another conversation or of another principal is another call', async () => {
    const gate = gateOf(place()())
    const calls = [
      refund(),
      refund({ args: { order: 'A-2', amount: 1 } }),
      refund({ threadId: 'chat-2' }),
      refund({ principal: 'bob' }),
      refund({ toolName: 'pay' }),
    ]
    const states = await gate.judge(calls)
    const ids = states.map((state) => (state.status === 'held' ? state.request.id : ''))
    expect(new Set(ids).size).toBe(5)
    await gate.decide(ids[0]!, { type: 'approve' }, { by: ann })
    const { run } = counted()
    await gate.execute(calls[0]!, run)
    for (const call of calls.slice(1)) await expect(gate.execute(call, run)).rejects.toThrow(HoldpointNotReleased)
  })

  test('two equal calls on purpose are two requests and run twice; without ids too', async () => {
    const open = place()
    const gate = gateOf(open())
    const { callId: _id, ...call } = refund()
    const states = await gate.judge([call, call])
    const ids = states.map((state) => (state.status === 'held' ? state.request.id : ''))
    expect(new Set(ids).size).toBe(2)
    expect(await gateOf(open()).judge([call, call])).toMatchObject(ids.map((id) => ({ request: { id } })))
    for (const id of ids) await gate.decide(id, { type: 'approve' }, { by: ann })
    const { runs, run } = counted()
    await Promise.all([gate.execute(call, run), gate.execute(call, run)])
    expect(runs.length).toBe(2)
    expect(await gate.execute(call, run)).toEqual({ refunded: call.args })
    expect(runs.length).toBe(2)
  })

  test('an equal call without an id attaches while nobody has its result, and is a new request that shows the earlier one afterwards', async () => {
    const open = place()
    const { callId: _id, ...call } = refund()
    const first = await held(gateOf(open()), call)
    expect((await held(gateOf(open()), call)).id).toBe(first.id)
    await gateOf(open()).decide(first, { type: 'approve' }, { by: ann })
    const { runs, run } = counted()
    const gone = new AbortController()
    const gaveUp = gateOf(open()).execute(
      call,
      (args) => {
        gone.abort()
        return run(args)
      },
      { signal: gone.signal },
    )
    await gaveUp
    expect(await gateOf(open()).execute(call, run)).toEqual({ refunded: call.args })
    expect(runs.length).toBe(1)
    const second = await held(gateOf(open()), call)
    expect(second.id).not.toBe(first.id)
    expect(second.details).toEqual({ earlier: { threadId: first.threadId, at: expect.any(String) } })
  })

  test('a tool that failed is not run again, and says the same', async () => {
    const open = place()
    const gate = gateOf(open())
    await gate.decide(await held(gate, refund()), { type: 'approve' }, { by: ann })
    const broken = new Error('card declined')
    await expect(gate.execute(refund(), () => Promise.reject(broken))).rejects.toBe(broken)
    const { runs, run } = counted()
    await expect(gateOf(open()).execute(refund(), run)).rejects.toThrow(CallFailed)
    await expect(gateOf(open()).execute(refund(), run)).rejects.toThrow(/card declined/)
    expect(await gateOf(open()).state(refund())).toMatchObject({ status: 'finished', isError: true })
    expect(runs).toEqual([])
  })

  test('of many that execute the same release at once, one runs and all get its result', async () => {
    const open = place()
    const gates = Array.from({ length: 6 }, () => gateOf(open()))
    await gates[0]!.decide(await held(gates[0]!, refund()), { type: 'approve' }, { by: ann })
    const { runs, run } = counted()
    const results = await Promise.all(gates.map((gate) => gate.execute(refund(), run)))
    expect([runs.length, new Set(results.map((one) => JSON.stringify(one))).size]).toEqual([1, 1])
  })

  test('of many that judge the same call at once, one opens the request', async () => {
    const open = place()
    const requests = await Promise.all(Array.from({ length: 6 }, () => held(gateOf(open()), refund())))
    expect(new Set(requests.map(({ id }) => id)).size).toBe(1)
    expect((await openDesk({ store: open() }).list()).requests.length).toBe(1)
  })

  test('of many that spend the same release, one is told to run, and its end is recorded', async () => {
    const open = place()
    const gates = Array.from({ length: 6 }, () => gateOf(open()))
    await gates[0]!.decide(await held(gates[0]!, refund()), { type: 'approve' }, { by: ann })
    const states = await Promise.all(gates.map((gate) => gate.spend(refund())))
    expect(states.map(({ status }) => status).sort()).toEqual(['released', ...Array(5).fill('unknown')])
    expect(await gates[1]!.judge([refund()])).toEqual([{ status: 'unknown' }])
    await gates[2]!.finished(refund(), { result: { ok: true } })
    await gates[3]!.finished(refund(), { result: { ok: false } })
    expect(await gates[4]!.spend(refund())).toEqual({ status: 'finished', result: { ok: true }, isError: false })
  })

  test('an equal call without an id is a new one after the first was handed over, and ends are recorded in their order', async () => {
    const open = place()
    const gate = gateOf(open())
    const { callId: _id, ...call } = refund()
    const requests = []
    for (let times = 0; times < 2; times++) {
      const request = await held(gateOf(open()), call)
      requests.push(request.id)
      expect((await gate.judge([call]))[0]).toMatchObject({ status: 'held', request: { id: request.id } })
      expect(await gate.state(call)).toMatchObject({ status: 'held', request: { id: request.id } })
      await gate.decide(request, { type: 'approve' }, { by: ann })
      expect(await gate.wait(call)).toMatchObject({ status: 'released' })
      expect(await gateOf(open()).spend(call)).toMatchObject({ status: 'released' })
    }
    expect(new Set(requests).size).toBe(2)
    expect(await gate.spend(call)).toMatchObject({ status: 'unknown' })
    await gate.finished(call, { result: 1 })
    await gate.finished(call, { result: 2 })
    await expect(gate.finished({ ...call, args: {} }, { result: 3 })).rejects.toThrow(HoldpointNotReleased)
  })
})
