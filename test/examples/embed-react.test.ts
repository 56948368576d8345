import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Window } from 'happy-dom'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Approvals } from '../../examples/embed-react/approvals.tsx'
import { ROOT } from '../../scripts/lib/root.js'
import { dom } from '../react/dom.ts'
import { ask, diskStore, inboxOf, seen } from '../support/gateway/inbox-scene.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'

const SOURCE = join(ROOT, 'examples/embed-react/approvals.tsx')

/** A page in which the app is rendered. The platform's own `fetch` stays. */
async function open(url: string, person: string) {
  const window = new Window()
  for (const name of ['document', 'navigator', 'HTMLElement', 'HTMLIFrameElement', 'Node'] as const)
    vi.stubGlobal(name, window[name])
  vi.stubGlobal('window', window)
  const { cleanup, fireEvent, render, waitFor, within } = await import('@testing-library/react')
  onTestFinished(async () => {
    cleanup()
    // React's scheduler may have a task left, which needs the window.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    vi.unstubAllGlobals()
  })
  const { body } = window.document
  const { container } = render(
    createElement(Approvals, { url, token: () => tokenOf(person, { roles: ['reviewer'] }) }),
    {
      container: body.appendChild(window.document.createElement('div')) as never,
    },
  )
  const page = within(body as never)
  const wait = { timeout: 30_000 }
  return {
    container: dom(container),
    click: async (name: string | RegExp) => fireEvent.click(await page.findByRole('button', { name }, wait)),
    shows: (text: string) => waitFor(() => expect(dom(container).textContent).toContain(text), wait),
  }
}

async function scene() {
  const store = diskStore()
  const ids = await ask(store, 'order-42', { args: { amount: 120, to: 'ada@example.com' } })
  const { url } = await served({ store, undoSeconds: 30 })
  return { url, ids, bob: inboxOf(store).as({ sub: 'bob', roles: ['reviewer'] }) }
}

describe('approvals in a team’s own app', () => {
  it('are less than 100 lines', () => {
    expect(readFileSync(SOURCE, 'utf8').trimEnd().split('\n').length).toBeLessThan(100)
  })

  it('are rendered by a server as loading', () => {
    const html = renderToString(createElement(Approvals, { url: 'http://127.0.0.1:1', token: async () => '' }))
    expect(html).toContain('Loading')
  })

  it('list what waits, show it, and store a decision that can be taken back', async () => {
    const { url, ids, bob } = await scene()
    const page = await open(url, 'lena')
    await page.click(/^Refund/)
    await page.shows('ada@example.com')
    await page.click(/^Approve: /)
    await page.shows('Stored.')
    const { request } = await bob.show(ids[0]!)
    expect(request).toMatchObject({ status: 'decided', decided: { by: { id: 'lena' }, decision: { type: 'approve' } } })
    await page.click('Undo')
    await page.click('Reject')
    await page.shows('Stored.')
    expect((await bob.show(ids[0]!)).request.decided?.decision).toEqual({ type: 'reject' })
  })

  it('say so when somebody else was faster, and decide nothing', async () => {
    const { url, ids, bob } = await scene()
    const page = await open(url, 'lena')
    await page.click(/^Refund/)
    await page.shows('ada@example.com')
    const { request } = await bob.show(ids[0]!)
    await bob.post(`/v1/requests/${request.id}/decide`, { ...seen(request), decision: { type: 'reject' } })
    await page.shows('It no longer waits.')
    expect((await bob.show(ids[0]!)).request.decided?.by.id).toBe('bob')
  })
})
