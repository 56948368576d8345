import { expect, it } from 'vitest'
import { z } from 'zod'
import { erase, memoryStore, openDesk, run } from '../../src/index.ts'
import type { Store } from '../../src/ports/store.ts'
import type { ChainedEntry } from '../../src/ports/stored-entry.ts'
import { bodyHash, CHAIN_START, chainHash } from '../../src/protocol/chain/chain.ts'
import type { Entry, EntryOf } from '../../src/protocol/entries/entry.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { check, checkAll } from '../support/checker/check.ts'
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
      const did = { tenantId: 'default', threadId, tool: 'spend', version: '1', args }
      effects.push({ ...did, key, attempt, at: Date.now(), process: 'here' })
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
  const told = { tenantId: 'default', request: request.id, at: Date.now() }
  acknowledged.push({ ...told, kind: 'decided', type: 'approve' })
  await agent.thread('order-1', { store }).resume()
  return { store, threads: ['order-1'], people: ['ann'], effects, acknowledged, isOver: true }
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
    acknowledged: [...sound.acknowledged, { ...sound.acknowledged[0]!, kind: 'withdrawn' }],
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
  'nothing expires before its deadline': (sound) =>
    rewritten(sound, (entries) => {
      const decided = entries.find(({ type }) => type === 'request.decided') as EntryOf<'request.decided'>
      const { id, version, by } = decided
      const closed: Entry = { v: 1, type: 'request.closed', id, call: decided.call!, version, status: 'expired', by }
      const later = changed(entries, 'request.opened', { expiresAt: Date.now() + 60_000 })
      return later.map((entry) => (entry.type === 'request.decided' ? closed : entry))
    }),
  'a body goes on with the answer that was given': (sound) => ({
    ...sound,
    effects: sound.effects.map((effect) => ({ ...effect, args: { answer: true } })),
  }),
  'tenants are apart': (sound) => ({ ...sound, people: ['bea'] }),
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

it('names an answer that was acknowledged and is not in the journal', async () => {
  const sound = await soundRun()
  const answered = { ...sound.acknowledged[0]!, kind: 'answered', type: 'true' } as const
  expect(await check({ ...sound, acknowledged: [answered] })).toEqual([
    expect.stringContaining('no decision is lost: true of'),
  ])
})

it('names a grant of another tenant', async () => {
  const sound = await soundRun()
  const foreign = rewritten(sound, (entries) =>
    entries.map((entry) =>
      entry.type === 'call.released' && entry.by.kind === 'grant'
        ? { ...entry, by: { ...entry.by, id: 'foreign' } }
        : entry,
    ),
  )
  const found = (await check(foreign)).filter((problem) => problem.startsWith('tenants are apart'))
  expect(found[0]).toContain('of order-1 was released by grant foreign')
})

it('lets a run that was moved go on with the new version, and only from then on', async () => {
  const sound = await soundRun()
  const by = { kind: 'person', id: 'olga' } as const
  const agent = { id: 'clerk', name: 'clerk', version: '2' }
  const moved = rewritten(sound, (entries) => {
    const last = entries.findLastIndex(({ type }) => type === 'call.started')
    const run = (entries[0] as EntryOf<'run.opened'>).run
    return entries.toSpliced(last, 0, { v: 1, type: 'run.moved', run, agent, by, reason: 'a test' })
  })
  const versions = async (effects: readonly Effect[]) =>
    (await check({ ...moved, effects })).filter((problem) => problem.startsWith('a run stays on its version'))
  expect(await versions(sound.effects)).toHaveLength(1)
  expect(await versions(sound.effects.with(-1, { ...sound.effects.at(-1)!, version: '2' }))).toEqual([])
})

/** The same run, whose thread was erased when it was over. */
async function erasedRun(): Promise<Evidence> {
  const sound = await soundRun()
  const chain = await sound.store.readChain('order-1')
  await erase(sound.store, { threadId: 'order-1', by: 'dora', reason: 'a test' })
  const { at } = (await sound.store.readChain('order-1')).at(-1)!
  return { ...sound, erased: [{ tenantId: 'default', threadId: 'order-1', at, chain }] }
}

const BADLY_ERASED: Record<string, (evidence: Evidence) => Evidence> = {
  'what was erased is gone: entry 1 of order-1 has its body': (gone) => ({
    ...gone,
    store: {
      ...gone.store,
      readChain: async (threadId) => (await gone.store.readChain(threadId)).with(0, gone.erased![0]!.chain[0]!),
    },
  }),
  'every chain verifies: link 2 of order-1, which was erased': (gone) => ({
    ...gone,
    erased: gone.erased!.map((was) => ({
      ...was,
      chain: was.chain.with(1, { ...was.chain[1]!, hash: Buffer.alloc(32) }),
    })),
  }),
  'what was erased is gone: a record stuck of order-1': (gone) => ({
    ...gone,
    store: {
      ...gone.store,
      readRecord: async (kind, id) =>
        kind === 'stuck' ? { kind, id, value: '{}', version: 1, at: 1, expiresAt: null } : undefined,
    },
  }),
  'nothing runs in a thread that was erased: spend of order-1': (gone) => ({
    ...gone,
    effects: gone.effects.map((effect) => ({ ...effect, at: gone.erased![0]!.at + 1 })),
  }),
  'each erasure is recorded once: 0 times, order-1': (gone) => ({
    ...gone,
    store: { ...gone.store, read: (threadId) => gone.store.read(threadId === '~erasures' ? 'no-such' : threadId) },
  }),
}

it('finds nothing in a sound run that was erased, and names what is wrong with an erasure', async () => {
  const gone = await erasedRun()
  expect(await check(gone)).toEqual([])
  for (const [problem, spoil] of Object.entries(BADLY_ERASED)) expect(await check(spoil(gone))).toContain(problem)
})

it('checks each tenant on what was done for it', async () => {
  const { store, effects, acknowledged, isOver } = await soundRun()
  const tenants = [
    { tenantId: 'default', threads: ['order-1'], people: ['ann'] },
    { tenantId: 'second', threads: [], people: ['bea'] },
  ]
  const seen = { store, acknowledged, isOver }
  expect(await checkAll(tenants, { ...seen, effects })).toEqual([])
  const stray = [...effects, { ...effects[0]!, tenantId: 'second' }]
  expect(await checkAll(tenants, { ...seen, effects: stray })).toEqual([
    'only what was released runs: spend of order-1 (tenant second)',
  ])
})
