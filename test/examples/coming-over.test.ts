import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as langgraph from '@langchain/langgraph'
import * as openai from '@openai/agents'
import * as langchain from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ROOT } from '../../scripts/lib/root.js'

/** The names that a page has in code, as patterns: `create*Span` is all names of that shape. */
function namesOn(page: string): RegExp[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  const names = spans.flatMap((code) => code.match(/[\w*]+/g) ?? [])
  return [...new Set(names)]
    .filter((name) => /[a-zA-Z]/.test(name))
    .map((name) => new RegExp(`^${name.replaceAll('*', '\\w*')}$`))
}

const missing = (page: string, exported: object): string[] => {
  const known = namesOn(page)
  return Object.keys(exported).filter((name) => name !== 'default' && !known.some((one) => one.test(name)))
}

describe('the page for users of the OpenAI Agents SDK', () => {
  const page = 'docs/guides/from-openai-agents.md'

  it('has every name that the package exports', () => {
    expect(missing(page, { ...openai, notAName: 0 })).toEqual(['notAName'])
  })

  it('tells the defaults that the package has', async () => {
    const plain = openai.tool({ name: 't', description: '', parameters: z.object({}), execute: () => '' })
    const none = undefined as never
    expect(await plain.needsApproval(none, {}, none)).toBe(false)
    const shell = openai.shellTool({ shell: { run: async () => ({ output: [] }) } })
    const patch = openai.applyPatchTool({ editor: {} as never })
    const computer = openai.computerTool({ computer: {} as never })
    expect([
      await shell.needsApproval(none, none, none),
      await patch.needsApproval(none, none, none),
      await computer.needsApproval(none, none, none),
    ]).toEqual([false, false, false])
    const hosted = openai.hostedMcpTool({ serverLabel: 'l', serverUrl: 'https://example.com' })
    expect(hosted.providerData).toMatchObject({ require_approval: 'never' })
    expect(new openai.Agent({ name: 'a' }).toolUseBehavior).toBe('run_llm_again')
    expect(new openai.Runner().config).toMatchObject({ toolNotFoundBehavior: 'raise_error' })
  })

  it('tells the turns and the text of a rejection that the package has', async () => {
    const calling = (turns: { count: number }): openai.Model => ({
      async getResponse() {
        turns.count += 1
        const call = {
          type: 'function_call',
          callId: `c${turns.count}`,
          name: 't',
          arguments: '{}',
          status: 'completed',
        }
        return { usage: new openai.Usage(), output: [call as never] }
      },
      getStreamedResponse: () => {
        throw new Error('not streamed')
      },
    })
    openai.setTracingDisabled(true)
    const turns = { count: 0 }
    const make = (needsApproval: boolean) =>
      openai.tool({ name: 't', description: '', parameters: z.object({}), needsApproval, execute: () => 'ok' })
    const free = new openai.Agent({ name: 'a', model: calling(turns), tools: [make(false)] })
    await expect(openai.run(free, 'go')).rejects.toThrow(openai.MaxTurnsExceededError)
    expect(turns.count).toBe(10)
    const gated = new openai.Agent({ name: 'a', model: calling({ count: 0 }), tools: [make(true)] })
    const paused = await openai.run(gated, 'go')
    paused.state.reject(paused.interruptions[0]!)
    const again = await openai.run(gated, paused.state)
    expect(JSON.stringify(again.history)).toContain('Tool execution was not approved.')
  })
})

describe('the page for users of LangChain', () => {
  const page = 'docs/guides/from-langchain.md'

  it('has every name that the package exports', () => {
    expect(missing(page, { ...langchain, notAName: 0 })).toEqual(['notAName'])
  })

  it('tells the defaults that the package has', async () => {
    const write = langchain.tool(() => 'written', { name: 'write', description: '', schema: z.object({}) })
    const read = langchain.tool(() => 'read', { name: 'read', description: '', schema: z.object({}) })
    const model = new langchain.FakeToolCallingModel({
      toolCalls: [
        [
          { name: 'write', args: {}, id: 'w', type: 'tool_call' },
          { name: 'read', args: {}, id: 'r', type: 'tool_call' },
        ],
        [],
      ],
    })
    // Under this compiler configuration the type of its options is never.
    const gate = langchain.humanInTheLoopMiddleware({ interruptOn: { write: true } } as never)
    const agent = langchain.createAgent({
      model,
      tools: [write, read],
      // Its types do not fit with exactOptionalPropertyTypes.
      middleware: [gate as unknown as langchain.AnyAgentMiddleware],
      checkpointer: new langgraph.MemorySaver(),
    })
    const config = { configurable: { thread_id: 't' } }
    const input = { messages: [{ role: 'user', content: 'go' }] }
    const paused = (await agent.invoke(input as never, config as never)) as unknown as {
      __interrupt__: { value: langchain.HITLRequest }[]
      messages: langchain.BaseMessage[]
    }
    const [interrupt] = paused.__interrupt__
    expect(interrupt?.value.reviewConfigs).toEqual([
      { actionName: 'write', allowedDecisions: ['approve', 'edit', 'reject'] },
    ])
    // A tool that no rule names waits beside one that is asked about.
    expect(interrupt?.value.actionRequests.map(({ name }) => name)).toEqual(['write'])
    expect(paused.messages.filter((message) => langchain.ToolMessage.isInstance(message))).toEqual([])
  })
})
