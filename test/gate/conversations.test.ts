import { describe, expect, test } from 'vitest'
import { memoryStore, openDesk, type Store } from '../../src/index.ts'
import { racePlaces } from '../races/places.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { untilLater } from '../support/until.ts'
import { gateOf, held, refund } from './gate.ts'

async function listed(store: Store, threadId: string): Promise<string[]> {
  const { requests } = await openDesk({ store }).list({ threadId })
  return requests.map(({ id }) => id)
}

describe.each(racePlaces())('conversations of hosts %s', (_name, place) => {
  test("a host's name of a conversation finds its calls of every source, and no others", async () => {
    const store = place()()
    const first = await held(gateOf(store), refund())
    await untilLater()
    const second = await held(gateOf(store), refund({ callId: 'call-2' }))
    await untilLater()
    const foreign = await held(gateOf(store, { source: 'other' }), refund())
    await held(gateOf(store), refund({ threadId: 'chat-10' }))
    await held(gateOf(store.tenant('b')), refund())
    expect(await listed(store, 'chat-1')).toEqual([foreign.id, second.id, first.id])
    expect(await listed(store, 'gate/test/chat-1')).toEqual([second.id, first.id])
    expect(await listed(store, 'gate/other/chat-1/')).toEqual([foreign.id])
    expect(await listed(store, first.threadId)).toEqual([first.id])
    for (const name of ['chat', 'gate', 'gate/test', 'gate/', 'chat-2']) expect(await listed(store, name)).toEqual([])
  })

  test('conversations whose names look alike in the names of threads are told apart', async () => {
    const store = place()()
    const names = ['a/b', 'a_b', 'a b', `${'x'.repeat(60)}1`, `${'x'.repeat(60)}2`, '会话']
    for (const threadId of names) {
      const { id, host } = await held(gateOf(store), refund({ threadId }))
      expect(host).toEqual({ source: 'test', conversation: threadId, callId: 'call-1' })
      expect(await listed(store, threadId)).toEqual([id])
    }
  })
})

test('requests say which host asks, over HTTP too, and are found by the conversation there', async () => {
  const store = memoryStore()
  const { id } = await held(gateOf(store), refund({ principal: 'bob' }))
  await held(gateOf(store), refund({ threadId: 'chat-2' }))
  const { url } = await served({ store })
  const authorization = `Bearer ${await tokenOf('ann', { roles: ['reviewer'] })}`
  const host = { source: 'test', conversation: 'chat-1', callId: 'call-1', principal: 'bob' }
  for (const thread of ['chat-1', 'gate/test/chat-1']) {
    const response = await fetch(`${url}/v1/requests?thread=${encodeURIComponent(thread)}`, {
      headers: { authorization },
    })
    expect(await response.json()).toMatchObject({ requests: [{ id, host }] })
  }
  const detail = await fetch(`${url}/v1/requests/${id}`, { headers: { authorization } })
  expect(await detail.json()).toMatchObject({ request: { host }, offers: [{ scope: 'thread' }] })
  const none = await fetch(`${url}/v1/requests?thread=chat-3`, { headers: { authorization } })
  expect(await none.json()).toEqual({ requests: [] })
})
