// @vitest-environment happy-dom
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StoryItem } from '../../src/protocol/api/requests.ts'
import { InboxProvider, useThread } from '../../src/react.ts'
import { FakeInbox, refusal, unreachable } from './fake-inbox.ts'

const at = '2026-03-12T10:00:00.000Z'
const said = (text: number): StoryItem => ({ kind: 'person', at, text: String(text) })

function long(steps: number): FakeInbox {
  const inbox = new FakeInbox()
  inbox.steps.push(...Array.from({ length: steps }, (_, n) => said(n)))
  return inbox
}

function open(inbox: FakeInbox) {
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(InboxProvider, { client: inbox.asClient }, children)
  return renderHook(() => useThread('t'), { wrapper }).result
}

type Shown = ReturnType<typeof open>

const texts = ({ current }: Shown) =>
  (current.data?.story ?? []).map((item) => (item.kind === 'person' ? item.text : item.kind))
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n))

async function settle(): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(300)
  })
}

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }))
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

test('a long thread shows its end, and what came before as far as it is asked for', async () => {
  const shown = open(long(130))
  await waitFor(() => expect(texts(shown)).toEqual(numbers(125, 130)))
  expect(shown.current.earlier).toBe('more')
  await act(() => shown.current.showEarlier())
  expect(texts(shown)).toEqual(numbers(25, 130))
  await act(() => shown.current.showEarlier())
  expect(texts(shown)).toEqual(numbers(0, 130))
  expect(shown.current.earlier).toBe('none')
})

test('a thread that grows while earlier steps are shown has no gap', async () => {
  const inbox = long(130)
  const shown = open(inbox)
  await waitFor(() => expect(shown.current.earlier).toBe('more'))
  await act(() => shown.current.showEarlier())
  inbox.steps.push(...numbers(130, 150).map((text) => said(Number(text))))
  inbox.emit({ type: 'request', what: 'opened', id: 'x', version: 1 })
  await settle()
  expect(texts(shown)).toEqual(numbers(25, 150))
})

test('a thread that grows while earlier steps are on their way has no gap', async () => {
  const inbox = long(130)
  const shown = open(inbox)
  await waitFor(() => expect(shown.current.earlier).toBe('more'))
  inbox.steps.push(said(130))
  await act(async () => {
    inbox.emit({ type: 'request', what: 'opened', id: 'x', version: 1 })
    await Promise.all([shown.current.reload(), shown.current.showEarlier()])
  })
  await settle()
  expect(texts(shown)).toEqual(numbers(25, 131))
})

test('a thread that grew by far too much begins anew at its end', async () => {
  const inbox = long(130)
  const shown = open(inbox)
  await waitFor(() => expect(shown.current.earlier).toBe('more'))
  await act(() => shown.current.showEarlier())
  inbox.steps.push(...numbers(130, 300).map((text) => said(Number(text))))
  inbox.emit({ type: 'request', what: 'opened', id: 'x', version: 1 })
  await settle()
  expect(texts(shown)).toEqual(numbers(295, 300))
  expect(shown.current.earlier).toBe('more')
})

test('a request on an earlier page that is decided is shown so; other pages are not loaded again', async () => {
  const inbox = long(250)
  inbox.steps[200] = { kind: 'request', at, id: 'r', title: 'Pay', status: 'open' }
  const shown = open(inbox)
  await waitFor(() => expect(shown.current.earlier).toBe('more'))
  await act(() => shown.current.showEarlier())
  await act(() => shown.current.showEarlier())
  inbox.calls.length = 0
  inbox.steps[200] = { kind: 'request', at, id: 'r', title: 'Pay', status: 'decided' }
  inbox.emit({ type: 'request', what: 'decided', id: 'r', version: 2 })
  await settle()
  expect(shown.current.data?.story.find(({ kind }) => kind === 'request')).toMatchObject({ status: 'decided' })
  expect(inbox.calls.filter((call) => call.startsWith('thread'))).toEqual(['thread t from 245', 'thread t before 245'])
})

test.each([
  ['it is told', { type: 'request', what: 'reopened', id: 'r', version: 3 }],
  ['what was told is lost', { type: 'reset' }],
] as const)('a decision on an earlier page that is taken back is no longer shown, if %s', async (_, event) => {
  const inbox = long(130)
  inbox.steps[60] = { kind: 'request', at, id: 'r', title: 'Pay', status: 'decided' }
  const shown = open(inbox)
  await waitFor(() => expect(shown.current.earlier).toBe('more'))
  await act(() => shown.current.showEarlier())
  inbox.steps[60] = { kind: 'request', at, id: 'r', title: 'Pay', status: 'open' }
  inbox.emit(event)
  await settle()
  expect(shown.current.data?.story.find(({ kind }) => kind === 'request')).toMatchObject({ status: 'open' })
})

test('earlier steps that cannot be loaded are said to have failed, and can be asked for again', async () => {
  const inbox = long(130)
  const shown = open(inbox)
  await waitFor(() => expect(shown.current.earlier).toBe('more'))
  inbox.down = unreachable()
  await act(() => shown.current.showEarlier())
  expect(shown.current).toMatchObject({ state: 'ready', earlier: 'failed', earlierError: inbox.down })
  inbox.down = undefined
  await act(() => shown.current.showEarlier())
  expect(texts(shown)).toEqual(numbers(25, 130))
  expect(shown.current.earlierError).toBeUndefined()
})

test('an erased thread leaves nothing of its earlier steps', async () => {
  const inbox = long(130)
  const shown = open(inbox)
  await waitFor(() => expect(shown.current.earlier).toBe('more'))
  await act(() => shown.current.showEarlier())
  inbox.down = refusal(410, 'thread_erased')
  await act(() => shown.current.reload())
  expect(shown.current).toMatchObject({ state: 'failed', earlier: 'none' })
  expect(shown.current.data).toBeUndefined()
})
