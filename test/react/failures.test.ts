// @vitest-environment happy-dom
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { createElement, type ReactNode, StrictMode } from 'react'
import { afterEach, describe, expect, test } from 'vitest'
import type { GrantItem } from '../../src/protocol/api/records.ts'
import type { HeldStorage } from '../../src/react/store/held-storage.ts'
import { InboxProvider, useDecide, useGrants, useLive, useMe, useRequests, useSignOut } from '../../src/react.ts'
import { FakeInbox, refund, refusal, unreachable } from './fake-inbox.ts'

type PageStorage = HeldStorage & { readonly length: number; clear(): void }
const { sessionStorage } = globalThis as unknown as { sessionStorage: PageStorage }

function inside(client: FakeInbox) {
  return {
    wrapper: ({ children }: { children: ReactNode }) =>
      createElement(
        StrictMode,
        null,
        createElement(InboxProvider, { client: client.asClient, storage: sessionStorage }, children),
      ),
  }
}

/** What a page has after it was loaded. */
function page(inbox: FakeInbox) {
  const all = () => ({ me: useMe(), deciding: useDecide(), live: useLive(), signOut: useSignOut() })
  return renderHook(all, inside(inbox))
}

/** A page that is connected. */
async function connected(inbox: FakeInbox) {
  const rendered = page(inbox)
  await waitFor(() => expect(inbox.streams).toBe(1))
  return rendered
}

/** Loses the connection and decides. */
async function hold(inbox: FakeInbox, { result }: Awaited<ReturnType<typeof connected>>, id = 'a') {
  act(() => inbox.line('waiting'))
  await act(async () => void (await result.current.deciding.decide(refund(id), { type: 'approve' })))
  expect(result.current.deciding.of(id).state).toBe('held')
}

const sent = (inbox: FakeInbox) => inbox.calls.filter((call) => call.startsWith('decide'))

afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

describe('before somebody is signed in', () => {
  test('no live connection is opened; it opens when it is known who is there', async () => {
    const inbox = new FakeInbox(refund('a'))
    inbox.down = refusal(401, 'unauthorized')
    const { result } = page(inbox)
    await waitFor(() => expect(result.current.me.state).toBe('failed'))
    expect(inbox.streams).toBe(0)
    inbox.down = undefined
    await act(() => result.current.me.reload())
    expect(inbox.streams).toBe(1)
  })

  test('a server that does not answer is tried again by the live connection', async () => {
    for (const problem of [refusal(503, 'unavailable'), unreachable()]) {
      const inbox = new FakeInbox(refund('a'))
      inbox.down = problem
      const { result, unmount } = page(inbox)
      await waitFor(() => expect(inbox.streams).toBe(1))
      act(() => inbox.line('waiting'))
      inbox.down = undefined
      act(() => inbox.line('live'))
      await waitFor(() => expect(result.current.me.data?.id).toBe('lena'))
      unmount()
    }
  })
})

describe('a refused decision', () => {
  test('of 401, 403, 409 and 422 is not held and not done, and says why', async () => {
    const codes: [number, string][] = [
      [401, 'unauthorized'],
      [403, 'not_allowed'],
      [409, 'request_changed'],
      [422, 'edit_invalid'],
    ]
    for (const [status, code] of codes) {
      const inbox = new FakeInbox(refund('a'))
      const { result, unmount } = await connected(inbox)
      inbox.down = refusal(status, code)
      await act(async () => void (await result.current.deciding.decide(refund('a'), { type: 'approve' })))
      expect(result.current.deciding.of('a')).toMatchObject({ state: 'failed', error: { status, code } })
      expect(sessionStorage.length).toBe(0)
      unmount()
    }
  })

  test('of 429 and 5xx may have arrived: it is held, and repeated with its key only when the person says so', async () => {
    for (const status of [429, 500, 503]) {
      const inbox = new FakeInbox(refund('a'))
      const { result, unmount } = await connected(inbox)
      const decide = inbox.decide.bind(inbox)
      inbox.decide = async (...args) => {
        inbox.keys.push(args[2]?.idempotencyKey)
        throw refusal(status, 'later')
      }
      await act(async () => void (await result.current.deciding.decide(refund('a'), { type: 'approve' })))
      expect(result.current.deciding.of('a')).toMatchObject({ state: 'held', perhaps: true })
      inbox.decide = decide
      act(() => inbox.line('live'))
      expect(sent(inbox)).toEqual([])
      await act(async () => void (await result.current.deciding.sendHeld('a')))
      expect(result.current.deciding.of('a').state).toBe('done')
      expect([inbox.keys.length, new Set(inbox.keys).size]).toEqual([2, 1])
      unmount()
      sessionStorage.clear()
    }
  })

  test('of many at once leaves each as it was, with the reason', async () => {
    const inbox = new FakeInbox(refund('a'), refund('b'))
    const { result } = await connected(inbox)
    inbox.down = unreachable()
    await act(async () => {
      const all = result.current.deciding.decideAll([refund('a'), refund('b')], { decision: { type: 'approve' } })
      await expect(all).rejects.toMatchObject({ name: 'NetworkError' })
    })
    for (const id of ['a', 'b']) expect(result.current.deciding.of(id).state).toBe('failed')
    expect(inbox.stored.get('a')?.status).toBe('open')
  })
})

describe('decisions in bulk', () => {
  test('name what was shown of each request', async () => {
    const items: unknown[] = []
    const inbox = new FakeInbox(refund('a'), refund('b'))
    const bulk = inbox.bulk.bind(inbox)
    inbox.bulk = async (body) => {
      items.push(...body.items)
      return bulk(body)
    }
    const { result } = await connected(inbox)
    const requests = [refund('a', { shown: 'shown-a' }), refund('b')]
    await act(async () => void (await result.current.deciding.decideAll(requests, { decision: { type: 'approve' } })))
    expect(items).toEqual([
      { id: 'a', version: 1, digest: 'digest-a', shown: 'shown-a' },
      { id: 'b', version: 1, digest: 'digest-b' },
    ])
  })
})

describe('a held decision', () => {
  test('is there again after a reload, and is not sent unseen', async () => {
    const inbox = new FakeInbox(refund('a'))
    const before = await connected(inbox)
    await hold(inbox, before)
    before.unmount()

    const { result } = await connected(inbox)
    expect(result.current.deciding.of('a')).toMatchObject({
      state: 'held',
      perhaps: false,
      verdict: { kind: 'decide', decision: { type: 'approve' } },
    })
    await act(async () => inbox.line('live'))
    expect(sent(inbox)).toEqual([])
    await act(async () => void (await result.current.deciding.sendHeld('a')))
    expect(result.current.deciding.of('a').state).toBe('done')
    expect(sessionStorage.length).toBe(0)
  })

  test('that may have arrived keeps its key over a reload', async () => {
    const inbox = new FakeInbox(refund('a'))
    const before = await connected(inbox)
    const decide = inbox.decide.bind(inbox)
    inbox.decide = async (...args) => {
      await decide(...args)
      throw unreachable()
    }
    await act(async () => void (await before.result.current.deciding.decide(refund('a'), { type: 'approve' })))
    before.unmount()
    inbox.decide = decide
    inbox.stored.set('a', refund('a'))

    const { result } = await connected(inbox)
    expect(result.current.deciding.of('a')).toMatchObject({ state: 'held', perhaps: true })
    await act(async () => void (await result.current.deciding.sendHeld('a')))
    expect([inbox.keys.length, new Set(inbox.keys).size]).toEqual([2, 1])
  })

  test('is gone after it was discarded, and after signing out', async () => {
    const inbox = new FakeInbox(refund('a'), refund('b'))
    const signOut = { signOut: async () => undefined }
    Object.assign(inbox, signOut)
    const first = await connected(inbox)
    await hold(inbox, first)
    expect(sessionStorage.length).toBe(1)
    act(() => first.result.current.deciding.discard('a'))
    expect(sessionStorage.length).toBe(0)
    await hold(inbox, first, 'b')
    await act(() => first.result.current.signOut())
    expect(sessionStorage.length).toBe(0)
    expect(first.result.current.deciding.all).toEqual([])
  })

  test('of somebody else is removed, and never shown', async () => {
    const inbox = new FakeInbox(refund('a'))
    const before = await connected(inbox)
    await hold(inbox, before)
    before.unmount()
    const other = new FakeInbox(refund('a'))
    const me = await other.me()
    other.me = async () => ({ ...me, id: 'bob' })
    const { result } = await connected(other)
    expect(result.current.deciding.all).toEqual([])
    expect(sessionStorage.length).toBe(0)
  })

  test('is ignored if what is stored is damaged', async () => {
    for (const text of ['{', '[]', '{"v":1,"person":"[\\"default\\",\\"lena\\"]","held":[{"key":1}]}']) {
      sessionStorage.setItem('holdpoint.held', text)
      const { result, unmount } = await connected(new FakeInbox(refund('a')))
      expect(result.current.deciding.all).toEqual([])
      unmount()
    }
  })
})

describe('grants', () => {
  const grant = { id: 'g1', status: 'active', agent: 'billing', tool: 'refund' } as unknown as GrantItem

  test('stay readable after a failed load, and are loaded when the line is back', async () => {
    const inbox = new FakeInbox()
    let problem: Error | undefined
    inbox.grants = async () => {
      if (problem) throw problem
      return { grants: [grant] as never[] }
    }
    const { result } = renderHook(() => useGrants(), inside(inbox))
    await waitFor(() => expect(result.current.data).toHaveLength(1))
    problem = unreachable()
    await act(() => result.current.reload())
    expect(result.current).toMatchObject({ state: 'failed', data: [{ id: 'g1' }], error: { name: 'NetworkError' } })
    problem = undefined
    act(() => inbox.line('waiting'))
    act(() => inbox.line('live'))
    await waitFor(() => expect(result.current.state).toBe('ready'))
  })

  test('one that may not be taken back says so, and stays', async () => {
    const inbox = new FakeInbox()
    inbox.grants = async () => ({ grants: [grant] as never[] })
    inbox.revoke = async () => {
      throw refusal(403, 'not_allowed')
    }
    const { result } = renderHook(() => useGrants(), inside(inbox))
    await waitFor(() => expect(result.current.data).toHaveLength(1))
    await act(async () => {
      await expect(result.current.revoke('g1')).rejects.toMatchObject({ status: 403, code: 'not_allowed' })
    })
    expect(result.current.data).toHaveLength(1)
  })
})

describe('a list', () => {
  test('that was refused says why, and keeps what was loaded', async () => {
    const inbox = new FakeInbox(refund('a'))
    const { result } = renderHook(() => useRequests(), inside(inbox))
    await waitFor(() => expect(result.current.rows).toHaveLength(1))
    inbox.down = refusal(401, 'unauthorized')
    await act(() => result.current.reload())
    expect(result.current).toMatchObject({ state: 'failed', error: { status: 401 } })
    expect(result.current.rows).toHaveLength(1)
  })
})
