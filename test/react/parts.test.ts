// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createElement, type ReactElement } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { RequestDetail } from '../../src/protocol/api/requests.ts'
import {
  AskForm,
  EditForm,
  FieldValue,
  InboxProvider,
  PartWordsProvider,
  RequestCard,
  SafeText,
  useRequests,
} from '../../src/react.ts'
import { dom } from './dom.ts'
import { FakeInbox, refund } from './fake-inbox.ts'

afterEach(cleanup)

const renderInto = (element: ReactElement) => dom(render(element).container)

function detailOf(request = refund('a'), more: Partial<RequestDetail> = {}): RequestDetail {
  return { request, policies: [], changes: [], offers: [], similar: [], grants: 0, story: [], comments: [], ...more }
}

describe('text from outside', () => {
  const hostile = '<img src=x onerror=alert(1)>\u202egpj.exe\u200b\u001b[2J[link](http://evil.example)'

  test('is text in every part: no element, no link, no hidden character', () => {
    const request = refund('a', {
      title: hostile,
      args: { amount: 1, [hostile]: hostile, list: [hostile], nested: { [hostile]: hostile } },
      display: { title: [hostile], fields: [], environment: hostile, affected: hostile },
      path: [hostile],
    })
    const detail = detailOf(request, {
      modelText: hostile,
      cause: { at: '2026-03-12T10:00:00Z', text: hostile },
    })
    const container = renderInto(
      createElement('div', null, [
        createElement(RequestCard, { key: 1, detail }),
        createElement(EditForm, { key: 2, detail, onSubmit: () => undefined, problems: [hostile] }),
      ]),
    )
    expect(container.querySelectorAll('img, a, script')).toHaveLength(0)
    const fields = container.querySelectorAll('input, textarea')
    for (const field of fields) field.remove()
    for (const hidden of ['\u202e', '\u200b', '\u001b']) expect(container.textContent).not.toContain(hidden)
    expect(container.textContent).toContain('RLO')
  })

  test('hidden characters are marks with their code point, heaps of line ends are counted', () => {
    const container = renderInto(createElement(SafeText, { text: `a\u202eb${'\n'.repeat(40)}c` }))
    expect(container.querySelector('[data-mark]')?.getAttribute('data-mark')).toBe('U+202E')
    expect(container.querySelector('[data-gap]')?.textContent).toBe('40 line breaks')
  })

  test('long text is folded with its length, and opens', () => {
    const container = renderInto(createElement(SafeText, { text: 'x'.repeat(591) }))
    expect(container.querySelector('bdi')?.textContent).toHaveLength(241)
    fireEvent.click(screen.getByRole('button', { name: 'Show all 591 characters' }))
    expect(container.querySelector('bdi')?.textContent).toHaveLength(591)
  })

  test('addresses and paths are never shortened', () => {
    const to = `${'a'.repeat(400)}@example.com`
    const container = renderInto(createElement(FieldValue, { field: { path: 'to', format: 'email' }, args: { to } }))
    expect(container.textContent).toBe(to)
  })

  test('a secret is dots', () => {
    const container = renderInto(
      createElement(FieldValue, { field: { path: 'key', format: 'secret' }, args: { key: 'hunter2' } }),
    )
    expect(container.textContent).not.toContain('hunter2')
  })
})

describe('a card', () => {
  test('shows every argument, also those that the tool did not name', () => {
    const display = { title: ['Refund'], fields: [{ path: 'amount', format: 'money' as const, currency: 'EUR' }] }
    render(createElement(RequestCard, { detail: detailOf(refund('a', { display, risk: 'high' })) }))
    expect(screen.getByText('€120.00')).toBeTruthy()
    expect(screen.getByText('ada@example.com')).toBeTruthy()
    expect(dom(screen.getByRole('article', { name: 'Refund €120.00 to ada@example.com' })).dataset.risk).toBe('high')
  })

  test('folds the words of the model and says whose they are', () => {
    const container = renderInto(
      createElement(RequestCard, { detail: detailOf(refund('a'), { modelText: 'Trust me' }) }),
    )
    const model = container.querySelector('details[data-part=model]')!
    expect(model.open).toBe(false)
    expect(model.querySelector('summary')?.textContent).toBe('Written by the model, not checked')
  })

  test('speaks another language', () => {
    const words = { deadline: '期限', noDeadline: '无期限' }
    const card = createElement(RequestCard, { detail: detailOf() })
    render(createElement(PartWordsProvider, { words }, card))
    expect(screen.getByText('无期限')).toBeTruthy()
  })
})

describe('an edit form', () => {
  const argsSchema = {
    type: 'object',
    required: ['amount', 'to'],
    properties: {
      amount: { type: 'number', minimum: 1, maximum: 200, description: 'In euro' },
      to: { type: 'string' },
      reason: { enum: ['damaged', 'late'] },
      notify: { type: 'boolean' },
      tags: { type: 'array' },
    },
  }
  const request = refund('a', {
    args: { amount: 120, to: 'ada@example.com', reason: 'late', notify: true, tags: ['x'] },
  })
  const open = (onSubmit = vi.fn()) => {
    render(createElement(EditForm, { detail: detailOf(request, { argsSchema }), onSubmit }))
    return onSubmit
  }
  const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const submit = () => fireEvent.click(screen.getByRole('button', { name: 'Run it as changed' }))

  test('hands on what was changed and leaves the rest as it was', () => {
    const onSubmit = open()
    type('amount', '80')
    type('reason', 'damaged')
    type('notify', 'false')
    type('tags', '["y"]')
    submit()
    expect(onSubmit).toHaveBeenCalledWith({
      amount: 80,
      to: 'ada@example.com',
      reason: 'damaged',
      notify: false,
      tags: ['y'],
    })
  })

  test.each([
    ['amount', '201', 'From 1 to 200.'],
    ['amount', 'much', 'This is not a number.'],
    ['amount', '', 'This is required.'],
    ['tags', '[', 'This is not JSON.'],
  ])('%s = %j is refused before it is sent', (label, value, problem) => {
    const onSubmit = open()
    type(label, value)
    submit()
    expect(onSubmit).not.toHaveBeenCalled()
    expect(dom(screen.getByRole('alert')).textContent).toBe(problem)
    expect(dom(screen.getByLabelText(label)).getAttribute('aria-invalid')).toBe('true')
  })
})

describe('a form for questions', () => {
  const request = refund('a', {
    kind: 'ask',
    questions: [
      {
        key: 'plan',
        prompt: 'Which plan?',
        options: [
          { label: 'Team', value: 'team' },
          { label: 'Solo', value: 'solo' },
        ],
      },
      {
        key: 'places',
        prompt: 'Where?',
        multiSelect: true,
        required: false,
        options: [
          { label: 'Web', value: 'web' },
          { label: 'Elsewhere', value: 'other', allowInput: true },
        ],
      },
      { key: 'note', prompt: 'Anything else?', required: false },
    ],
  })

  test('sends nothing while a required question is open, and chooses nothing by itself', () => {
    const onSubmit = vi.fn()
    const container = renderInto(createElement(AskForm, { request, onSubmit }))
    expect(container.querySelectorAll(':checked')).toHaveLength(0)
    fireEvent.click(screen.getByRole('button', { name: 'Send answers' }))
    expect(onSubmit).not.toHaveBeenCalled()
    expect(screen.getAllByRole('alert')).toHaveLength(1)
  })

  test('answers with a string, an array for several, and own words', () => {
    const onSubmit = vi.fn()
    render(createElement(AskForm, { request, onSubmit }))
    fireEvent.click(screen.getByRole('radio', { name: 'Team' }))
    fireEvent.click(screen.getByRole('checkbox', { name: 'Web' }))
    fireEvent.click(screen.getByRole('checkbox', { name: 'Elsewhere' }))
    fireEvent.change(screen.getByLabelText('Something else'), { target: { value: 'in the shop' } })
    fireEvent.click(screen.getByRole('button', { name: 'Send answers' }))
    expect(onSubmit).toHaveBeenCalledWith({ plan: 'team', places: ['web', 'in the shop'] })
  })
})

test('a server renders hooks and parts without a browser and loads nothing', () => {
  const inbox = new FakeInbox(refund('a'))
  const List = () => createElement('p', null, useRequests().state)
  const html = renderToString(
    createElement(InboxProvider, { client: inbox.asClient }, [
      createElement(List, { key: 1 }),
      createElement(RequestCard, { key: 2, detail: detailOf() }),
    ]),
  )
  expect(html).toContain('<p>loading</p>')
  expect(html).toContain('Refund')
  expect(inbox.calls).toEqual([])
})
