import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Append, Store } from '../../../src/ports/store.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'
import { allIds, requestId, requestRow } from '../../../src/testing/store-suite/tools.ts'
import { openFile } from '../../support/stores/open-file.ts'
import { temporaryFolder } from './harness.ts'

/** The six appends of one approved call, with entries as long as real ones. */
function approveCycle(n: number): Append[] {
  const call = `run/${n}.0`
  const digest = 'd'.repeat(43)
  const by = { kind: 'person', id: 'ann@example.com' }
  const id = requestId(n)
  const body = (type: string, rest: object) => JSON.stringify({ v: 1, type, ...rest })
  const args = { orderId: 1000 + n, amount: 49.9, currency: 'EUR', reason: 'The parcel arrived damaged.' }
  const path = ['support']
  return [
    {
      threadId: 't',
      entries: [
        body('run.opened', {
          run: `run${n}`,
          agent: { id: 'support', name: 'Support' },
          input: [{ role: 'user', content: 'Please refund my order.' }],
          options: { maxTurns: 10, start: 'cleared' },
        }),
      ],
    },
    {
      threadId: 't',
      entries: [
        body('model.answered', {
          frame: `run${n}`,
          turn: 1,
          message: { role: 'assistant', content: '', toolCalls: [{ id: `call_${n}`, name: 'refund', args }] },
          usage: { requests: 1, inputTokens: 812, outputTokens: 64, totalTokens: 876 },
        }),
        body('call.judged', { call, definition: digest, digest, verdict: { kind: 'review' } }),
        body('request.opened', {
          id,
          questionId: `call_${n}`,
          kind: 'approve',
          run: `run${n}`,
          call,
          agent: 'support',
          path,
          toolName: 'refund',
          toolCallId: `call_${n}`,
          args,
          definition: digest,
          digest,
          allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
        }),
      ],
      requests: [{ op: 'open', entry: 2, row: requestRow(n, { assignee: 'ann@example.com' }) }],
    },
    {
      threadId: 't',
      entries: [
        body('request.decided', {
          id,
          call,
          version: 2,
          decision: { type: 'approve' },
          by,
          effectiveAt: 1767225600000,
        }),
        body('call.released', { call, digest, request: id, by }),
      ],
      requests: [{ op: 'change', entry: 0, id, from: 1, status: 'decided' }],
    },
    { threadId: 't', entries: [body('call.started', { call, attempt: 1, idempotencyKey: digest })] },
    {
      threadId: 't',
      entries: [
        body('call.finished', {
          call,
          attempt: 1,
          result: { role: 'tool', toolCallId: `call_${n}`, toolName: 'refund', content: 'Refunded 49.90 EUR.' },
        }),
      ],
    },
    {
      threadId: 't',
      entries: [
        body('model.answered', {
          frame: `run${n}`,
          turn: 2,
          message: { role: 'assistant', content: 'Your refund is on its way.' },
          usage: { requests: 1, inputTokens: 901, outputTokens: 12, totalTokens: 913 },
        }),
        body('run.settled', { run: `run${n}`, status: 'completed', output: 'Your refund is on its way.' }),
      ],
    },
  ]
}

async function runCycle(store: Store, n: number): Promise<number> {
  let text = 0
  for (const append of approveCycle(n)) {
    const outcome = await store.append(append)
    expect(outcome.ok).toBe(true)
    text += append.entries.reduce((sum, body) => sum + Buffer.byteLength(body), 0)
  }
  return text
}

describe('what a store takes on disk', () => {
  it('each approval takes at most 1.9 times its text, after the first file of 128 KB', async () => {
    const path = join(temporaryFolder(), 'store.db')
    const sizeAfter = async (from: number, to: number): Promise<{ text: number; size: number }> => {
      const store = sqliteStore({ path, durability: 'process' })
      let text = 0
      for (let n = from; n <= to; n++) text += await runCycle(store, n)
      await store.close()
      return { text, size: statSync(path).size }
    }
    const first = await sizeAfter(1, 1)
    const full = await sizeAfter(2, 201)
    expect((full.size - first.size) / full.text).toBeLessThanOrEqual(1.9)
    expect(first.size).toBeLessThanOrEqual(128 * 1024)
  })

  it('an approve cycle writes fewer than 50 pages', async () => {
    const path = join(temporaryFolder(), 'store.db')
    const store = sqliteStore({ path, durability: 'process' })
    for (let n = 1; n <= 200; n++) await runCycle(store, n)
    const other = openFile(path)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    for (let n = 201; n <= 210; n++) await runCycle(store, n)
    const pages = statSync(`${path}-wal`).size / (4096 + 24)
    other.close()
    await store.close()
    expect(pages / 10).toBeLessThan(50)
    expect(pages).toBeGreaterThan(60)
  })
})

describe('looking for requests that no index serves', () => {
  it('looks at a bounded number at once, and following the cursor finds them all', async () => {
    const store = sqliteStore({ path: join(temporaryFolder(), 'store.db'), durability: 'process' })
    const total = 12_000
    const rare = [1, 2, 5000, 7001, total]
    for (let from = 1; from <= total; from += 1000) {
      const numbers = Array.from({ length: 1000 }, (_, i) => from + i)
      const outcome = await store.append({
        threadId: 't',
        entries: numbers.map((n) => `{"n":${n}}`),
        requests: numbers.map((n, position) => ({
          op: 'open',
          entry: position,
          row: requestRow(n, rare.includes(n) ? { tool: 'rare', questionId: 'rare' } : {}),
        })),
      })
      expect(outcome.ok).toBe(true)
    }
    const ids = rare.map(requestId).reverse()
    for (const query of [{ tool: 'rare' }, { questionId: 'rare' }, { status: 'open', questionId: 'rare' }] as const) {
      const first = await store.findRequests(query)
      expect(first.requests.map(({ id }) => id)).toEqual(ids.slice(0, 2))
      expect(first.next).toBe(requestId(total - 4999))
      expect(await allIds(store, query)).toEqual(ids)
      expect(await allIds(store, { ...query, limit: 1 })).toEqual(ids)
    }
    for (const query of [
      { status: 'open', tool: 'rare' },
      { threadId: 't', questionId: 'rare' },
    ] as const) {
      const page = await store.findRequests(query)
      expect(page.requests.map(({ id }) => id)).toEqual(ids)
      expect(page.next).toBe(undefined)
    }
    await store.close()
  })
})
