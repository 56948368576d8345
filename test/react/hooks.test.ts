// @vitest-environment happy-dom
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { createElement, type ReactNode, StrictMode } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { InboxProvider, useDecide, useLive, useMe, useRequest, useRequests } from '../../src/react.ts'
import { FakeInbox, refund, refusal, unreachable } from './fake-inbox.ts'

function inside(client: FakeInbox) {
  return {
    wrapper: ({ children }: { children: ReactNode }) =>
      createElement(StrictMode, null, createElement(InboxProvider, { client: client.asClient }, children)),
  }
}

/** Lets the gathering of events and the loads after it happen. */
async function settle(ms = 300): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms)
  })
}

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }))
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const ids = (rows: readonly { request: { id: string }; state: string }[]) =>
  rows.map((row) => (row.state === 'waiting' ? row.request.id : `${row.request.id} ${row.state}`))

describe('a list of requests', () => {
  test('new requests are counted and move nothing until they are asked for', async () => {
    const inbox = new FakeInbox(refund('a'), refund('b'))
    const { result } = renderHook(() => useRequests(), inside(inbox))
    await waitFor(() => expect(ids(result.current.rows)).toEqual(['b', 'a']))
    inbox.put(refund('c'), 'opened')
    inbox.put(refund('d'), 'opened')
    await settle()
    expect(ids(result.current.rows)).toEqual(['b', 'a'])
    expect(result.current.fresh).toBe(2)
    act(() => result.current.showFresh())
    expect(ids(result.current.rows)).toEqual(['d', 'c', 'b', 'a'])
    expect(result.current.fresh).toBe(0)
  })

  test('what others decided stays in its place, marked, until the list is shown anew', async () => {
    const inbox = new FakeInbox(refund('a'), refund('b'), refund('c'))
    const { result } = renderHook(() => useRequests(), inside(inbox))
    await waitFor(() => expect(result.current.rows).toHaveLength(3))
    inbox.put(refund('b', { status: 'decided', version: 2 }), 'decided')
    await settle()
    expect(ids(result.current.rows)).toEqual(['c', 'b settled', 'a'])
    act(() => result.current.showFresh())
    expect(ids(result.current.rows)).toEqual(['c', 'a'])
  })

  test('a row that the person may no longer see is marked as gone', async () => {
    const inbox = new FakeInbox(refund('a'), refund('b'))
    const { result } = renderHook(() => useRequests(), inside(inbox))
    await waitFor(() => expect(result.current.rows).toHaveLength(2))
    inbox.stored.delete('a')
    inbox.emit({ type: 'request', what: 'assigned', id: 'a', version: 1 })
    await settle()
    expect(ids(result.current.rows)).toEqual(['b', 'a gone'])
  })

  test('a burst of changes is read in pages, not one by one', async () => {
    const many = Array.from({ length: 90 }, (_, i) => refund(`r${String(i).padStart(3, '0')}`))
    const inbox = new FakeInbox(...many)
    const { result } = renderHook(() => useRequests({}, { limit: 100 }), inside(inbox))
    await waitFor(() => expect(result.current.rows).toHaveLength(90))
    inbox.calls.length = 0
    for (const each of many.slice(0, 80)) inbox.put({ ...each, status: 'decided', version: 2 }, 'decided')
    await settle()
    expect(result.current.rows.filter((row) => row.state === 'settled')).toHaveLength(80)
    expect(result.current.rows).toHaveLength(90)
    expect(inbox.calls.length).toBeLessThan(30)
  })

  test('older pages are added below, and each request is there once', async () => {
    const inbox = new FakeInbox(...['a', 'b', 'c', 'd', 'e'].map((id) => refund(id)))
    const { result } = renderHook(() => useRequests({}, { limit: 2 }), inside(inbox))
    await waitFor(() => expect(ids(result.current.rows)).toEqual(['e', 'd']))
    await act(() => result.current.loadMore())
    await act(() => result.current.loadMore())
    expect(ids(result.current.rows)).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(result.current.more).toBe(false)
  })

  test('what changed between loading and the first live connection is told, and moves nothing', async () => {
    const inbox = new FakeInbox(refund('a'), refund('b'))
    inbox.state = 'connecting'
    const { result } = renderHook(() => ({ list: useRequests(), read: useRequest('b') }), inside(inbox))
    await waitFor(() => expect(result.current.list.rows).toHaveLength(2))
    await waitFor(() => expect(result.current.read.state).toBe('ready'))
    inbox.stored.set('b', refund('b', { status: 'decided', version: 2 }))
    inbox.stored.set('c', refund('c'))
    inbox.calls.length = 0
    act(() => inbox.line('live'))
    await settle()
    expect(ids(result.current.list.rows)).toEqual(['b settled', 'a'])
    expect(result.current.list.fresh).toBe(1)
    expect(result.current.read.changed).toMatchObject({ kind: 'closed' })
    expect(inbox.calls.filter((call) => call === 'request a')).toEqual([])
  })

  test('offline it stays readable, and catches up without moving when the line is back', async () => {
    const inbox = new FakeInbox(refund('a'), refund('b'))
    const { result } = renderHook(() => ({ list: useRequests(), live: useLive() }), inside(inbox))
    await waitFor(() => expect(result.current.list.rows).toHaveLength(2))
    act(() => inbox.line('waiting'))
    expect(result.current.live.state).toBe('offline')
    inbox.stored.set('c', refund('c'))
    inbox.stored.set('a', refund('a', { status: 'decided', version: 2 }))
    act(() => inbox.line('live'))
    act(() => inbox.emit({ type: 'reset' }))
    await settle()
    expect(ids(result.current.list.rows)).toEqual(['b', 'a settled'])
    expect(result.current.list.fresh).toBe(1)
  })
})

describe('a request that is being read', () => {
  test('a change shows the difference and leaves what is read in place', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useRequest('a'), inside(inbox))
    await waitFor(() => expect(result.current.state).toBe('ready'))
    inbox.put(refund('a', { version: 2, args: { amount: 180, to: 'ada@example.com' } }), 'reopened')
    await settle()
    expect(result.current.detail?.request.args).toEqual({ amount: 120, to: 'ada@example.com' })
    expect(result.current.changed).toMatchObject({
      kind: 'changed',
      differences: [{ path: 'args.amount', from: 120, to: 180 }],
    })
    act(() => result.current.showNow())
    expect(result.current.detail?.request.version).toBe(2)
    expect(result.current.changed).toBeUndefined()
  })

  test('a comment of somebody else is shown at once: it changes no version', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useRequest('a'), inside(inbox))
    await waitFor(() => expect(result.current.state).toBe('ready'))
    inbox.put(refund('a', { comments: 1, assigned: { id: 'bob' } }), 'commented')
    await settle()
    expect(result.current.detail?.request).toMatchObject({ comments: 1, assigned: { id: 'bob' } })
    expect(result.current.changed).toBeUndefined()
  })

  test('what the person did themselves is no news: a decision and its undo are shown at once', async () => {
    const inbox = new FakeInbox(refund('a'))
    inbox.undoSeconds = 10
    const { result } = renderHook(() => ({ read: useRequest('a'), deciding: useDecide() }), inside(inbox))
    await waitFor(() => expect(result.current.read.state).toBe('ready'))
    await act(async () => void (await result.current.deciding.decide(refund('a'), { type: 'approve' })))
    await settle()
    expect(result.current.read.detail?.request.status).toBe('decided')
    expect(result.current.read.changed).toBeUndefined()
    await act(async () => void (await result.current.deciding.undo('a')))
    expect(result.current.read.detail?.request).toMatchObject({ status: 'open', version: 3 })
    await settle()
    expect(result.current.read.detail?.request).toMatchObject({ status: 'open', version: 3 })
    expect(result.current.read.changed).toBeUndefined()
  })

  test('a new version with the same content is decided as that version', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useRequest('a'), inside(inbox))
    await waitFor(() => expect(result.current.state).toBe('ready'))
    inbox.put(refund('a', { version: 3 }), 'reopened')
    await settle()
    expect(result.current.detail?.request.version).toBe(3)
    expect(result.current.changed).toBeUndefined()
  })

  test('one that was decided by somebody else stays as it was read', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useRequest('a'), inside(inbox))
    await waitFor(() => expect(result.current.state).toBe('ready'))
    inbox.put(refund('a', { status: 'decided', version: 2 }), 'decided')
    await settle()
    expect(result.current.detail?.request.status).toBe('open')
    expect(result.current.changed).toMatchObject({ kind: 'closed', now: { request: { status: 'decided' } } })
  })

  test('one that was replaced names the request that took its place', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useRequest('a'), inside(inbox))
    await waitFor(() => expect(result.current.state).toBe('ready'))
    inbox.stored.set('b', refund('b', { supersedes: 'a', args: { amount: 1, to: 'ada@example.com' } }))
    inbox.put(refund('a', { status: 'superseded', version: 2 }), 'superseded')
    await settle()
    await waitFor(() => expect(result.current.changed).toMatchObject({ kind: 'replaced', by: { id: 'b' } }))
  })

  test('one that was erased while it was read is absent, and nothing of it is kept', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useRequest('a'), inside(inbox))
    await waitFor(() => expect(result.current.state).toBe('ready'))
    inbox.stored.delete('a')
    inbox.emit({ type: 'reset' })
    await settle()
    await waitFor(() => expect(result.current.state).toBe('absent'))
    expect(result.current.detail).toBeUndefined()
  })

  test('one that does not exist is absent', async () => {
    const { result } = renderHook(() => useRequest('nothing'), inside(new FakeInbox()))
    await waitFor(() => expect(result.current.state).toBe('absent'))
  })
})

describe('deciding', () => {
  test('a decision shows as undoable only after it is stored, and as done when its window is over', async () => {
    const inbox = new FakeInbox(refund('a'))
    inbox.undoSeconds = 10
    const { result } = renderHook(() => useDecide(), inside(inbox))
    let sent: Promise<unknown> | undefined
    act(() => {
      sent = result.current.decide(refund('a'), { type: 'approve' })
    })
    expect(result.current.of('a').state).toBe('sending')
    await act(async () => void (await sent))
    expect(inbox.stored.get('a')?.status).toBe('decided')
    expect(result.current.of('a').state).toBe('undoable')
    await settle(10_500)
    expect(result.current.of('a').state).toBe('done')
  })

  test('a decision is taken back with the version that it made', async () => {
    const inbox = new FakeInbox(refund('a'))
    inbox.undoSeconds = 10
    const { result } = renderHook(() => useDecide(), inside(inbox))
    await act(async () => void (await result.current.decide(refund('a'), { type: 'approve' })))
    await act(async () => void (await result.current.undo('a')))
    expect(result.current.of('a').state).toBe('withdrawn')
    expect(inbox.calls).toContain('withdraw a v2')
  })

  test('a decision that was taken back in another window can be made again, and no longer be undone here', async () => {
    const inbox = new FakeInbox(refund('a'))
    inbox.undoSeconds = 10
    const { result } = renderHook(() => useDecide(), inside(inbox))
    await waitFor(() => expect(inbox.streams).toBe(1))
    const reopen = (version: number) => inbox.stored.set('a', refund('a', { version })).get('a')!
    await act(async () => void (await result.current.decide(refund('a'), { type: 'approve' })))
    act(() => inbox.put(reopen(3), 'reopened'))
    expect(result.current.of('a').state).toBe('idle')
    await act(async () => void (await result.current.decide(reopen(3), { type: 'approve' })))
    // This time no event tells of it.
    await act(async () => void (await result.current.decide(reopen(5), { type: 'approve' })))
    expect(inbox.calls.filter((call) => call.startsWith('decide'))).toEqual([
      'decide a v1',
      'decide a v3',
      'decide a v5',
    ])
  })

  test('two clicks are one decision', async () => {
    const inbox = new FakeInbox(refund('a'))
    inbox.undoSeconds = 10
    const { result } = renderHook(() => useDecide(), inside(inbox))
    await act(async () => {
      const { decide } = result.current
      await Promise.all([decide(refund('a'), { type: 'approve' }), decide(refund('a'), { type: 'approve' })])
    })
    expect(inbox.calls.filter((call) => call.startsWith('decide'))).toHaveLength(1)
  })

  test('offline a decision is held and sent only when the person says so', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useDecide(), inside(inbox))
    await waitFor(() => expect(inbox.streams).toBe(1))
    act(() => inbox.line('waiting'))
    await act(async () => void (await result.current.decide(refund('a'), { type: 'approve' })))
    expect(result.current.of('a')).toMatchObject({ state: 'held', perhaps: false })
    act(() => inbox.line('live'))
    await settle()
    expect(inbox.calls.filter((call) => call.startsWith('decide'))).toEqual([])
    await act(async () => void (await result.current.sendHeld('a')))
    expect(result.current.of('a').state).toBe('done')
  })

  test('a held decision is not sent for a request that changed meanwhile, nor after its deadline', async () => {
    const late = refund('b', { expiresAt: new Date(Date.now() + 1000).toISOString() })
    const inbox = new FakeInbox(refund('a'), late)
    const { result } = renderHook(() => useDecide(), inside(inbox))
    await waitFor(() => expect(inbox.streams).toBe(1))
    act(() => inbox.line('waiting'))
    await act(async () => void (await result.current.decide(refund('a'), { type: 'approve' })))
    await act(async () => void (await result.current.decide(late, { type: 'approve' })))
    inbox.stored.set('a', refund('a', { version: 2 }))
    inbox.stored.set('b', { ...late, status: 'expired', version: 2 })
    await settle(2000)
    await act(async () => void (await result.current.sendHeld('a')))
    await act(async () => void (await result.current.sendHeld('b')))
    expect(result.current.of('a')).toMatchObject({ state: 'failed', error: { code: 'request_changed' } })
    expect(result.current.of('b')).toMatchObject({ state: 'failed', error: { code: 'request_changed' } })
    expect(inbox.calls.filter((call) => call.startsWith('decide'))).toEqual([])
  })

  test("the deadline of a held decision passes by the server's clock, not by that of this device", async () => {
    const open = refund('a', { expiresAt: new Date(Date.now() - 1_800_000).toISOString() })
    const inbox = new FakeInbox(open)
    const { result } = renderHook(() => useDecide(), inside(inbox))
    await waitFor(() => expect(inbox.streams).toBe(1))
    act(() => inbox.line('waiting'))
    await act(async () => void (await result.current.decide(open, { type: 'approve' })))
    await act(async () => void (await result.current.sendHeld('a')))
    expect(result.current.of('a').state).toBe('done')
  })

  test('a decision without an answer may have arrived: it is held, and repeated with the same key', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useDecide(), inside(inbox))
    const decide = inbox.decide.bind(inbox)
    inbox.decide = async (...args) => {
      inbox.keys.push(args[2]?.idempotencyKey)
      throw unreachable()
    }
    await act(async () => void (await result.current.decide(refund('a'), { type: 'approve' })))
    expect(result.current.of('a')).toMatchObject({ state: 'held', perhaps: true })
    inbox.decide = decide
    await act(async () => void (await result.current.sendHeld('a')))
    expect(result.current.of('a').state).toBe('done')
    expect(new Set(inbox.keys).size).toBe(1)
  })

  test('a refusal says what the request is now, and lists show it', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => ({ deciding: useDecide(), list: useRequests() }), inside(inbox))
    await waitFor(() => expect(result.current.list.rows).toHaveLength(1))
    inbox.stored.set('a', refund('a', { status: 'decided', version: 2 }))
    await act(async () => void (await result.current.deciding.decide(refund('a'), { type: 'approve' })))
    expect(result.current.deciding.of('a')).toMatchObject({
      state: 'failed',
      error: { code: 'already_decided' },
      now: { status: 'decided' },
    })
    expect(ids(result.current.list.rows)).toEqual(['a settled'])
  })

  test('of several decisions each has its own outcome', async () => {
    const inbox = new FakeInbox(refund('a'), refund('b', { version: 2 }))
    const { result } = renderHook(() => useDecide(), inside(inbox))
    await act(async () => {
      await result.current.decideAll([refund('a'), refund('b')], { decision: { type: 'approve' } })
    })
    expect(result.current.of('a').state).toBe('done')
    expect(result.current.of('b')).toMatchObject({ state: 'failed', error: { code: 'request_changed' } })
  })
})

describe('the provider', () => {
  test('one live connection serves all hooks, and ends with the provider', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { unmount } = renderHook(() => [useMe(), useRequests(), useRequest('a'), useDecide()], inside(inbox))
    await settle()
    expect(inbox.streams).toBe(1)
    unmount()
    expect(inbox.streams).toBe(0)
  })

  test('what failed to load is loaded when the line is back', async () => {
    const inbox = new FakeInbox(refund('a'))
    inbox.down = refusal(503, 'unavailable')
    const { result } = renderHook(() => ({ me: useMe(), list: useRequests() }), inside(inbox))
    await waitFor(() => expect(result.current.me.state).toBe('failed'))
    inbox.down = undefined
    act(() => inbox.line('waiting'))
    act(() => inbox.line('live'))
    await waitFor(() => expect(result.current.me.data?.id).toBe('lena'))
    await waitFor(() => expect(result.current.list.rows).toHaveLength(1))
  })
})
