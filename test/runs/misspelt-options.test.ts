import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  CheckpointedChannel,
  InMemoryChannel,
  memoryStore,
  openDesk,
  RunState,
  run,
  tool,
} from '../../src/index.ts'
import { postgresStore } from '../../src/postgres.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { scriptedModel } from '../../src/testing.ts'

/** Programs without types can pass anything. */
const loose = <T>(value: unknown): T => value as T
const invalid = expect.objectContaining({ code: 'input_invalid' })
const clerk = () => new Agent({ name: 'clerk', model: scriptedModel(['done']) })

describe('an option that does not exist', () => {
  it('makes no store: another schema or a weaker durability would be used without a word', () => {
    expect(() => sqliteStore(loose({ path: 'x.db', busyTimeout: 5 }))).toThrow(invalid)
    expect(() => sqliteStore(loose({ paht: 'x.db' }))).toThrow(invalid)
    expect(() => sqliteStore(loose('x.db'))).toThrow(invalid)
    expect(() => sqliteStore({ path: 'x.db', durability: loose('Power') })).toThrow(invalid)
    expect(() => postgresStore(loose({ connectionString: 'postgres://127.0.0.1:1/x', shema: 'mine' }))).toThrow(invalid)
    expect(() => memoryStore(loose({ clok: 1 }))).toThrow(invalid)
  })

  it('makes no channel, whose questions would wait for ever', async () => {
    expect(() => new InMemoryChannel(loose({ defaultTimeout: 3 }))).toThrow(invalid)
    const durable = { store: memoryStore(), threadId: 't', allowInsideCustomTools: true }
    expect(() => new CheckpointedChannel(loose(durable))).toThrow(invalid)
    await expect(new InMemoryChannel().confirm('Sure?', loose({ timeout: 1 }))).rejects.toThrow(invalid)
  })

  it('asks nobody from inside a tool, and fails the run', async () => {
    const sure = tool({
      name: 'sure',
      description: 'Asks.',
      parameters: z.object({}),
      resumable: true,
      execute: (_args, ctx) => ctx.confirm('Sure?', loose({ timeout: 1 })),
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'sure', args: {} }] }, 'done'])
    const result = await run(new Agent({ name: 'clerk', model, tools: [sure] }), 'go')
    expect(result).toMatchObject({ status: 'failed', interruptions: [] })
    expect(result.error).toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('A question has no option "timeout"; there are timeoutSeconds'),
    })
  })

  it('neither signs nor restores a text, which would be taken unverified', async () => {
    const { state } = await run(clerk(), 'hello')
    const signingKeys = [{ id: '1', secret: 'from a vault, and long enough' }]
    expect(() => state.toString(loose({ signingKey: signingKeys }))).toThrow(invalid)
    const text = state.toString({ signingKeys })
    await expect(RunState.fromString(clerk(), text, loose({ signingKey: signingKeys }))).rejects.toThrow(invalid)
  })
})

describe('a common mistake is reported as what it is', () => {
  it.each([['./runs.db'], [Promise.resolve()], [null]])('a store that is none: %s', async (store) => {
    const needed = expect.objectContaining({ code: 'input_invalid', message: expect.stringContaining('needs a store') })
    await expect(run(clerk(), 'hello', { store: loose(store), threadId: 't' })).rejects.toThrow(needed)
    await expect(RunState.load(clerk(), { store: loose(store), threadId: 't' })).rejects.toThrow(needed)
    expect(() => clerk().thread('t', { store: loose(store) })).toThrow(needed)
    expect(() => openDesk({ store: loose(store) })).toThrow(needed)
  })

  it('a controller in the place of its signal', async () => {
    const signal = loose<AbortSignal>(new AbortController())
    const needed = expect.objectContaining({
      code: 'input_invalid',
      message: expect.stringContaining('controller.signal'),
    })
    await expect(run(clerk(), 'hello', { signal })).rejects.toThrow(needed)
    const thread = clerk().thread('t', { channel: new InMemoryChannel() })
    await expect(thread.prompt('hello', { signal })).rejects.toThrow(needed)
    await expect(thread.resume({ signal })).rejects.toThrow(needed)
  })

  it('a forgotten await, and a result in the place of its state', async () => {
    const agent = clerk()
    const result = await run(agent, 'hello')
    await expect(run(agent, loose(Promise.resolve(result.state)))).rejects.toThrow('await it first')
    await expect(run(agent, loose(result))).rejects.toThrow('result.state')
  })
})
