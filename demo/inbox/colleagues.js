import { openDesk } from 'holdpoint'

/**
 * A colleague who has decided a request before anybody looks. Later requests of the same conversation are left to you.
 * @typedef {object} Colleague
 * @property {string} name
 * @property {import('holdpoint').Decision} decision
 * @property {import('holdpoint').GrantOptions} [always] a standing decision
 * @property {Record<string, string>} [factsMeanwhile] facts that change before the decision counts: then the call does not run, and people are asked again
 */

/** By thread. @type {Readonly<Record<string, Colleague>>} */
export const COLLEAGUES = {
  'order-39': {
    name: 'Priya Nair',
    decision: { type: 'approve' },
    always: {
      scope: 'agent',
      args: { orderId: 39 },
      uses: 5,
      cap: { field: 'amount', max: 25_000 },
      expiresInSeconds: 604_800,
    },
  },
  'order-37': {
    name: 'Bob Lindqvist',
    decision: {
      type: 'edit',
      args: { amount: 4_000, to: 'j.falk@example.org', orderId: 37, reason: 'damaged', notify: true },
      message: 'The pan can be mended: a part of the price will do.',
    },
  },
  'order-31': {
    name: 'Mei Tanaka',
    decision: { type: 'reject', message: 'Not damaged: it can be sent back, at our cost.' },
  },
  'release-318': {
    name: 'Bob Lindqvist',
    decision: { type: 'approve' },
    factsMeanwhile: { 'checkout.running': '3.17.4', 'checkout.errors': '0.71 %' },
  },
}

/**
 * Decides the first request of a thread as soon as there is one, unless somebody was faster.
 * @param {import('./begin.js').Company} company
 * @param {string} threadId
 * @param {Colleague} colleague
 */
export async function decideWhenAsked(company, threadId, colleague) {
  const { store, signal } = company
  const desk = openDesk({ store })
  while (!signal.aborted) {
    const { version: after } = await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })
    const { requests } = await desk.list({ threadId, limit: 10 })
    const first = requests.at(-1)
    if (first) return first.status === 'open' ? decideAs(company, colleague, first) : undefined
    await store.changed(threadId, { after, signal })
  }
}

/**
 * @param {import('./begin.js').Company} company
 * @param {Colleague} colleague
 * @param {import('holdpoint').HitlRequest} request
 */
async function decideAs({ store, notebook }, { name, decision, always, factsMeanwhile }, request) {
  if (factsMeanwhile) {
    notebook.write(({ facts }) => {
      Object.assign(facts, factsMeanwhile)
    })
  }
  const by = { kind: /** @type {const} */ ('person'), id: name, via: 'demo' }
  await openDesk({ store }).decide({ request, decision, by, ...(always ? { always } : {}) })
}
