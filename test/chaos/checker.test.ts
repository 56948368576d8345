import { expect, it } from 'vitest'
import { z } from 'zod'
import { memoryStore, openDesk, run } from '../../src/index.ts'
import type { Store } from '../../src/ports/store.ts'
import type { ChainedEntry } from '../../src/ports/stored-entry.ts'
import { bodyHash, CHAIN_START, chainHash } from '../../src/protocol/chain/chain.ts'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool.ts'
import { check } from '../support/checker/check.ts'
import type { Acknowledged, Effect, Evidence } from '../support/checker/evidence.ts'

/** What is left of a sound run: a payment that a person approved for good, and two more under that grant. */
async function soundRun(): Promise<Evidence> {
  const effects: Effect[] = []
  const acknowledged: Acknowledged[] = []
  const spend = tool({
    name: 'spend',
    description: 'Spends money.',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: (args, { threadId, idempotencyKey: key, attempt }) => {
      effects.push({ threadId, tool: 'spend', version: '1', key, attempt, args, at: Date.now(), process: 'here' })
      return 'spent'
    },
  })
  const agent = new Agent({
    name: 'clerk',
    version: '1',
    model: {
      async respond({ messages }) {
        const turn = messages.filter(({ role }) => role === 'assistant').length
        if (turn > 2) return { content: 'done' }
        return { toolCalls: [{ id: `spend-${turn}`, name: 'spend', args: { amount: 10 } }] }
      },
    },
    tools: [spend],
  })
  const store = memoryStore()
  await run(agent, 'go', { store, threadId: 'order-1' })
  const { requests } = await openDesk({ store }).list({ status: 'open' })
  const [request] = requests
  if (!request) throw new Error('nobody was asked')
  const always = { scope: 'tenant', uses: 2, cap: { field: 'amount', max: 20 } } as const
  await openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: 'ann', always })
  acknowledged.push({ kind: 'decided', request: request.id, type: 'approve', at: Date.now() })
  await agent.thread('order-1', { store }).resume()
  return { store, threads: ['order-1'], effects, acknowledged, isOver: true }
}

/** The same with a journal that somebody who can compute the chain has rewritten. */
function rewritten(evidence: Evidence, change: (entries: Entry[]) => Entry[]): Evidence {
  const readChain = async (threadId: string): Promise<ChainedEntry[]> => {
    const chain = await evidence.store.readChain(threadId)
    const before = chain.map(({ body }) => JSON.parse(body) as Entry)
    const after = change(structuredClone(before))
    let previous = CHAIN_START
    return after.map((entry, index) => {
      const { at, salt } = chain[Math.min(index, chain.length - 1)]!
      const body = JSON.stringify(entry)
      const hash = chainHash(
        { tenant: evidence.store.tenantId, threadId, seq: index + 1, at },
        previous,
        bodyHash(salt, body),
      )
      previous = hash
      return { ...chain[0]!, seq: index + 1, at, salt, body, hash }
    })
  }
  return { ...evidence, store: { ...evidence.store, tenantId: evidence.store.tenantId, readChain } as Store }
}

/** Changes the first entry of a type. */
function changed<T extends Entry['type']>(entries: Entry[], type: T, fields: object): Entry[] {
  const found = entries.findIndex((entry) => entry.type === type)
  if (found === -1) throw new Error(`no ${type}`)
  return entries.map((entry, index) => (index === found ? ({ ...entry, ...fields } as Entry) : entry))
}

it('finds nothing in a sound run', async () => {
  const evidence = await soundRun()
  expect(evidence.effects).toHaveLength(3)
  expect(await check(evidence)).toEqual([])
  expect(await check(rewritten(evidence, (entries) => entries))).toEqual([])
})

const BROKEN: Record<string, (evidence: Evidence) => Evidence> = {
  'no release is started twice': (sound) => ({ ...sound, effects: [...sound.effects, sound.effects[1]!] }),
  'only what was released runs': (sound) => ({
    ...sound,
    effects: [...sound.effects, { ...sound.effects[0]!, key: 'x' }],
  }),
  'nothing runs before its start is stored': (sound) => ({
    ...sound,
    effects: sound.effects.map((effect, index) => (index === 0 ? { ...effect, at: 1 } : effect)),
  }),
  'a run stays on its version': (sound) => ({
    ...sound,
    effects: sound.effects.map((effect) => ({ ...effect, version: '2' })),
  }),
  'no decision is lost': (sound) => ({
    ...sound,
    acknowledged: [
      ...sound.acknowledged,
      { kind: 'withdrawn', request: sound.acknowledged[0]!.request, type: 'approve', at: 1 },
    ],
  }),
  'every chain verifies': (sound) => ({
    ...sound,
    store: {
      ...sound.store,
      tenantId: sound.store.tenantId,
      readChain: async (threadId: string) =>
        (await sound.store.readChain(threadId)).map((link) =>
          link.seq === 3 ? { ...link, hash: Buffer.alloc(32) } : link,
        ),
    } as Store,
  }),
  'every journal folds': (sound) =>
    rewritten(sound, (entries) => entries.filter(({ type }) => type !== 'request.decided')),
  'nothing is stuck': (sound) => rewritten(sound, (entries) => entries.filter(({ type }) => type !== 'run.settled')),
  'nothing is lost': (sound) => ({ ...sound, threads: ['order-1', 'order-2'] }),
  'nothing starts after a reject': (sound) =>
    rewritten(sound, (entries) => changed(entries, 'request.decided', { decision: { type: 'reject' } })),
  'nothing starts inside an undo window': (sound) =>
    rewritten(sound, (entries) => changed(entries, 'request.decided', { undoMs: 60_000 })),
  'nothing is decided after its deadline': (sound) =>
    rewritten(sound, (entries) => changed(entries, 'request.opened', { expiresAt: 1 })),
  'no budget is overspent': (sound) =>
    rewritten(sound, (entries) =>
      entries.map((entry) =>
        entry.type === 'grant.created' ? { ...entry, grant: { ...entry.grant, uses: 1 } } : entry,
      ),
    ),
}

for (const [guarantee, spoil] of Object.entries(BROKEN)) {
  it(`names the guarantee and the thread: ${guarantee}`, async () => {
    const found = (await check(spoil(await soundRun()))).filter((problem) => problem.startsWith(guarantee))
    expect(found[0]).toContain(guarantee === 'nothing is lost' ? 'order-2' : 'order-1')
  })
}
