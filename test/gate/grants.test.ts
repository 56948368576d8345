import { describe, expect, test } from 'vitest'
import { humanInTheLoop, openDesk, type Store } from '../../src/index.ts'
import { racePlaces } from '../races/places.ts'
import { ann, counted, gateOf, held, refund } from './gate.ts'

/** Gives a standing decision for the conversation of a held call. */
async function always(store: Store, type: 'approve' | 'reject', more: object = {}): Promise<void> {
  const request = await held(gateOf(store), refund())
  const decision = { type } as const
  await openDesk({ store }).decide({ request, decision, by: ann, always: { scope: 'thread', ...more } })
}

const later = refund({ callId: 'call-2', args: { order: 'B-2', amount: 5 } })

describe.each(racePlaces())('grants for a conversation %s', (_name, place) => {
  test('a grant for the thread covers later calls of the same conversation, in any process', async () => {
    const open = place()
    await always(open(), 'approve')
    const gate = gateOf(open())
    expect(await gate.judge([later])).toMatchObject([{ status: 'released', by: { kind: 'grant' } }])
    const { runs, run } = counted()
    await gate.execute(later, run)
    expect(runs).toEqual([later.args])
  })

  test('it covers no call of another conversation, principal, source or tool', async () => {
    const store = place()()
    await always(store, 'approve')
    const others = [{ threadId: 'chat-2' }, { principal: 'bob' }, { toolName: 'pay' }]
    for (const other of others)
      expect(await gateOf(store).judge([refund({ callId: 'call-2', ...other })])).toMatchObject([{ status: 'held' }])
    // The same agent, so that only the source differs.
    const foreign = gateOf(store, { source: 'other', agent: 'test' })
    expect(await foreign.judge([later])).toMatchObject([{ status: 'held' }])
  })

  test('its uses are counted over the calls of the conversation', async () => {
    const store = place()()
    await always(store, 'approve', { uses: 1 })
    const gate = gateOf(store)
    const { runs, run } = counted()
    await gate.judge([later])
    await gate.execute(later, run)
    expect(await gate.judge([refund({ callId: 'call-3' })])).toMatchObject([{ status: 'held' }])
    expect(runs.length).toBe(1)
  })

  test('a standing rejection refuses later calls, also those that need no person', async () => {
    const store = place()()
    await always(store, 'reject')
    const gate = gateOf(store)
    expect(await gate.judge([later])).toMatchObject([{ status: 'refused', isError: true }])
    const free = gateOf(store, { policy: humanInTheLoop({ interruptOn: {} }) })
    expect(await free.judge([refund({ callId: 'call-3' })])).toMatchObject([{ status: 'refused' }])
    expect(await free.judge([refund({ callId: 'call-3', threadId: 'chat-2' })])).toMatchObject([{ status: 'free' }])
  })

  test('a call that was held before the grant is released by it when its host asks again', async () => {
    const store = place()()
    const gate = gateOf(store)
    await held(gate, later)
    await always(store, 'approve')
    expect(await gate.wait(later, { timeoutSeconds: 0 })).toMatchObject({ status: 'released', by: { kind: 'grant' } })
  })

  test('a grant that is given elsewhere while a call waits is noticed', async () => {
    const open = place()
    await held(gateOf(open()), later)
    const waiting = gateOf(open()).wait(later, { timeoutSeconds: 60 })
    await always(open(), 'approve')
    expect(await waiting).toMatchObject({ status: 'released', by: { kind: 'grant' } })
  })

  test('a revoked grant covers nothing', async () => {
    const store = place()()
    await always(store, 'approve')
    const desk = openDesk({ store })
    const [grant] = (await desk.grants()).grants
    expect(grant).toMatchObject({ scope: 'thread', toolName: 'refund' })
    await desk.revoke(grant!.id, { by: ann })
    expect(await gateOf(store).judge([later])).toMatchObject([{ status: 'held' }])
  })
})
