import type { RequestItem } from 'holdpoint/client'

/** A refund that waits for a decision. */
export function refund(change: Partial<RequestItem> = {}): RequestItem {
  return {
    id: '0195a1c4-0000-7000-8000-000000000001',
    questionId: 'call_1',
    kind: 'approve',
    agent: 'billing',
    path: ['billing'],
    threadId: 'order-42',
    tenant: 'default',
    status: 'open',
    version: 1,
    toolName: 'refund',
    title: 'Refund €120.00 to ada@example.com',
    args: { orderId: 42, amount: 12_000, to: 'ada@example.com', note: 'Lid cracked' },
    display: {
      title: ['Refund ', { path: 'amount' }, ' to ', { path: 'to' }],
      fields: [
        { path: 'amount', format: 'money', currency: 'EUR', unit: 'minor' },
        { path: 'to', format: 'email' },
        { path: 'orderId', format: 'id' },
        { path: 'note', format: 'text' },
      ],
    },
    digest: 'sha256:aa',
    allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
    hidden: 0,
    comments: 0,
    mayDecide: true,
    createdAt: '2026-03-12T10:00:00.000Z',
    expiresAt: '2026-03-12T10:30:00.000Z',
    ...change,
  }
}
