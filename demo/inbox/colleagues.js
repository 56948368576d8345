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
 * @param {import('./drive.js').Company} company
 * @param {Colleague} colleague
 * @param {import('holdpoint').HitlRequest} request
 */
export async function decideAs({ store, notebook }, { name, decision, always, factsMeanwhile }, request) {
  if (request.status !== 'open' || request.reason !== undefined) return
  if (factsMeanwhile) {
    notebook.write(({ facts }) => {
      Object.assign(facts, factsMeanwhile)
    })
  }
  const by = { kind: /** @type {const} */ ('person'), id: name, via: 'demo' }
  await openDesk({ store }).decide({ request, decision, by, ...(always ? { always } : {}) })
}
