import * as ai from 'ai'
import { describe, expect, test } from 'vitest'
import { aiSdkGate } from '../../../src/ai-sdk.ts'
import { createGate } from '../../../src/gate.ts'
import { humanInTheLoop, memoryStore } from '../../../src/index.ts'
import { cases } from './cases.ts'
import { casesOf, loops } from './harness.ts'
import type { Sdk } from './host.ts'
import { hostileCases } from './hostile-cases.ts'

describe('a gate for the AI SDK 6', () => {
  test.each(Object.entries({ ...cases, ...hostileCases }))('%s', async (_name, check) => {
    await expect(check(ai as unknown as Sdk)).resolves.toBeUndefined()
  })

  describe.each(loops)('in the conformance suite of adapters, through %s', (loop) => {
    test.each(casesOf(ai as unknown as Sdk, loop))('$name', ({ run }) => run())
  })
})

describe('tools that a gate cannot hold', () => {
  const gate = createGate({
    store: memoryStore(),
    policy: humanInTheLoop({ interruptOn: {} }),
    source: 'ai-sdk',
  })
  const inputSchema = ai.jsonSchema<{ q: string }>({ type: 'object', properties: { q: { type: 'string' } } })

  test('are refused unless they are named', () => {
    const tools = { search: ai.tool({ inputSchema }) }
    expect(() => aiSdkGate(gate, { threadId: 'c', tools })).toThrow(/search has no execute/)
    expect(aiSdkGate(gate, { threadId: 'c', tools, ungated: ['search'] }).tools.search).toBe(tools.search)
  })

  test('an approval of the tool itself is refused, since the policy decides', () => {
    const tools = { search: ai.tool({ inputSchema, needsApproval: true, execute: async () => 'x' }) }
    expect(() => aiSdkGate(gate, { threadId: 'c', tools })).toThrow(/search has needsApproval/)
  })

  test('options that do not exist are refused', () => {
    const options = { threadId: 'c', tools: {}, bye: 1 } as unknown as Parameters<typeof aiSdkGate>[1]
    expect(() => aiSdkGate(gate, options)).toThrow(/no option "bye"/)
    expect(() => aiSdkGate(gate, { threadId: '', tools: {} })).toThrow(/threadId/)
    expect(() => aiSdkGate(gate, undefined as never)).toThrow(/threadId/)
    expect(() => aiSdkGate(gate, { threadId: 'c', tools: {}, ungated: ['x' as never] })).toThrow(/no tool/)
  })
})
