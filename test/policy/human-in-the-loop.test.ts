import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  definePolicy,
  EditInvalid,
  humanInTheLoop,
  type JsonObject,
  memoryStore,
  type PolicyCall,
  RunState,
  run,
  shadow,
  toActionRequests,
  tool,
} from '../../src/index.ts'
import type { HumanInTheLoopOptions } from '../../src/policy/human-in-the-loop.ts'
import {
  DecisionNotAllowed,
  PolicyFailed,
  PolicyInvalid,
  ReviewerNotAllowed,
} from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'

describe('rules by tool name', () => {
  test("the seed's policy: true, a list of decisions, false, and what nothing names", async () => {
    const policy = humanInTheLoop({
      interruptOn: { write_file: true, execute_sql: { allowedDecisions: ['approve', 'reject'] }, read_data: false },
      descriptionPrefix: 'Tool execution pending approval',
    })
    const calls: [string, JsonObject][] = [
      ['write_file', { query: 'w' }],
      ['execute_sql', { query: 's' }],
      ['read_data', { query: 'r' }],
      ['ping', { query: 'p' }],
    ]
    const { agent, ran } = policedAgent(policy, { calls })
    const paused = await run(agent, 'go')
    expect(ran.map(([name]) => name).sort()).toEqual(['ping', 'read_data'])
    expect(paused.interruptions.map((request) => [request.toolName, request.allowedDecisions])).toEqual([
      ['write_file', ['approve', 'edit', 'reject', 'respond']],
      ['execute_sql', ['approve', 'reject']],
    ])
    expect(toActionRequests(paused.interruptions)).toEqual({
      action_requests: paused.interruptions.map(({ id, version, digest, toolName, args }) => ({
        name: toolName,
        args,
        arguments: args,
        description: `Tool execution pending approval\n\nTool: ${toolName}\nArgs: ${JSON.stringify(args)}`,
        id,
        version,
        digest,
      })),
      review_configs: [
        { action_name: 'write_file', allowed_decisions: ['approve', 'edit', 'reject', 'respond'] },
        { action_name: 'execute_sql', allowed_decisions: ['approve', 'reject'] },
      ],
    })
    await expect(paused.state.edit(paused.interruptions[1]!, { args: { query: 'x' } })).rejects.toBeInstanceOf(
      DecisionNotAllowed,
    )
    await paused.state.decide({ decisions: [{ type: 'approve' }, { type: 'reject', message: 'no' }] })
    const done = await run(agent, paused.state)
    expect(done.status).toBe('completed')
    expect(done.state.messages.filter((message) => message.role === 'tool').map((message) => message.content)).toEqual([
      'write_file ok',
      'no',
      'read_data ok',
      'ping ok',
    ])
  })

  test('patterns match, exact names beat them, and the longer pattern beats the shorter', async () => {
    const policy = humanInTheLoop({ interruptOn: { '*': true, 'db.*': { allowedDecisions: ['reject'] }, ping: false } })
    const { agent, ran } = policedAgent(policy, {
      calls: [
        ['ping', { query: '' }],
        ['db.drop', { query: '' }],
        ['read_data', { query: '' }],
      ],
    })
    const paused = await run(agent, 'go')
    expect(ran).toEqual([['ping', { query: '' }]])
    expect(paused.interruptions.map((request) => request.allowedDecisions.length)).toEqual([1, 4])
  })

  test.each<[string, HumanInTheLoopOptions]>([
    ['a name that matches no tool', { interruptOn: { execute_sqll: true } }],
    ['a pattern that matches no tool', { interruptOn: { 'x.*': true } }],
    ['no decision at all', { interruptOn: { ping: { allowedDecisions: [] } } }],
    ['an unknown decision', { interruptOn: { ping: { allowedDecisions: ['aprove' as never] } } }],
    ['a typo in a key', { interruptOn: { ping: { allowed_decisions: ['approve'] } as never } }],
    ['a rule that is none', { interruptOn: { ping: 'yes' as never } }],
    ['a typo in an option', { interuptOn: {} } as never],
    ['a deadline that is none', { interruptOn: { ping: { timeoutSeconds: -1 } } }],
    [
      'silence as consent for what is not low risk',
      { interruptOn: { execute_sql: { timeoutSeconds: 1, onTimeout: 'allow' } } },
    ],
    ['an unknown otherwise', { interruptOn: {}, otherwise: 'maybe' as never }],
  ])('%s is an error when the agent is built', (_what, options) => {
    expect(() => policedAgent(humanInTheLoop(options))).toThrow(PolicyInvalid)
  })

  test('when decides call by call; if it throws or gives no boolean, the call is asked about', async () => {
    const answers: unknown[] = [true, false, 'maybe', new Error('no')]
    const seen: PolicyCall[] = []
    for (const [i, answer] of answers.entries()) {
      const when = (call: PolicyCall) => {
        seen.push(call)
        if (answer instanceof Error) throw answer
        return answer as boolean
      }
      const { agent } = policedAgent(humanInTheLoop({ interruptOn: { execute_sql: { when } } }))
      expect((await run(agent, 'go', { context: { i } })).interruptions).toHaveLength(answer === false ? 0 : 1)
    }
    expect(seen[0]).toMatchObject({
      toolName: 'execute_sql',
      toolCallId: 'c1',
      args: { query: 'DELETE' },
      agent: 'a',
      runContext: { context: { i: 0 } },
    })
    expect(seen[0]?.messages[0]).toEqual({ role: 'user', content: 'go' })
  })

  test('a description of its own replaces all of the generated one, and is taken once', async () => {
    let taken = 0
    const description = async ({ args }: PolicyCall) => {
      taken += 1
      return `Runs ${args.query}`
    }
    const { agent } = policedAgent(humanInTheLoop({ interruptOn: { execute_sql: { description } } }))
    const paused = await run(agent, 'go')
    expect(paused.interruptions[0]?.description).toBe('Runs DELETE')
    await paused.state.approve(paused.interruptions[0]!)
    await run(agent, paused.state)
    expect(taken).toBe(1)
  })

  test("otherwise 'deny' lets only what is named run; the model reads the reason", async () => {
    const { agent, ran } = policedAgent(humanInTheLoop({ interruptOn: { ping: false }, otherwise: 'deny' }))
    const done = await run(agent, 'go')
    expect(done.status).toBe('completed')
    expect(ran).toEqual([])
    expect(done.state.messages.find((message) => message.role === 'tool')).toMatchObject({
      isError: true,
      content: expect.stringContaining('not allowed'),
    })
  })

  test('only named reviewers may decide', async () => {
    const { agent } = policedAgent(humanInTheLoop({ interruptOn: { execute_sql: { reviewers: ['ann'] } } }))
    const { state } = await run(agent, 'go')
    await expect(state.approve(state.interruptions[0]!, { by: 'bob' })).rejects.toBeInstanceOf(ReviewerNotAllowed)
    expect(state.interruptions).toHaveLength(1)
    await state.approve(state.interruptions[0]!, { by: 'ann' })
    expect((await run(agent, state)).status).toBe('completed')
  })
})

describe('policies as code', () => {
  test('the most restrictive verdict wins, in any order, and each is recorded', async () => {
    const allow = definePolicy(() => ({ verdict: 'allow' }), { name: 'allow', version: '7' })
    const review = definePolicy(async () => ({ verdict: 'review', allowedDecisions: ['approve', 'reject'] }), {
      name: 'review',
    })
    const narrower = definePolicy(() => ({ verdict: 'review', allowedDecisions: ['reject', 'respond'] }), {
      name: 'narrower',
    })
    const deny = definePolicy(() => ({ verdict: 'deny', reason: 'never on Sundays' }), { name: 'deny' })
    for (const policy of [
      [allow, review, narrower],
      [narrower, review, allow],
    ]) {
      const paused = await run(policedAgent(policy).agent, 'go')
      expect(paused.interruptions[0]?.allowedDecisions).toEqual(['reject'])
      expect(paused.state.toString()).toContain('"version":"7"')
    }
    for (const policy of [
      [deny, review],
      [allow, deny],
    ]) {
      const { agent, ran } = policedAgent(policy)
      const done = await run(agent, 'go')
      expect(done.state.messages.find((message) => message.role === 'tool')?.content).toContain('never on Sundays')
      expect(ran).toEqual([])
    }
  })

  test("a tool's own needsApproval can be tightened by a policy, never loosened", async () => {
    const gated = tool({
      name: 'gated',
      description: '',
      parameters: z.object({}),
      needsApproval: true,
      execute: () => 'ran',
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'gated', args: {} }] }])
    const agent = new Agent({
      name: 'a',
      model,
      tools: [gated],
      policy: humanInTheLoop({ interruptOn: { gated: false } }),
    })
    expect((await run(agent, 'go')).interruptions).toHaveLength(1)
  })

  test('a policy that throws or returns no verdict stops the turn with an error', async () => {
    for (const judge of [
      () => {
        throw new Error('db is down')
      },
      () => undefined,
      () => ({ verdict: 'yes' }),
      () => ({ verdict: 'deny' }),
    ]) {
      const { agent, ran } = policedAgent(definePolicy(judge as never, { name: 'odd' }))
      const failed = await run(agent, 'go')
      expect(failed.error).toBeInstanceOf(PolicyFailed)
      expect(ran).toEqual([])
      expect(failed.interruptions).toEqual([])
    }
  })

  test('a judged call is never judged again, also after a restart', async () => {
    let asked = 0
    const policy = definePolicy(() => {
      asked += 1
      return { verdict: 'review' }
    })
    const { agent } = policedAgent(policy)
    const store = memoryStore()
    await run(agent, 'go', { threadId: 't', store })
    const state = await RunState.load(agent, { threadId: 't', store })
    await run(agent, state)
    await state.approve(state.interruptions[0]!)
    await run(agent, state)
    expect(asked).toBe(1)
  })

  test('a policy cannot change what it judges', async () => {
    const policy = definePolicy(({ args }) => {
      ;(args as { query: string }).query = 'SELECT'
      return { verdict: 'allow' }
    })
    const { agent, ran } = policedAgent(policy)
    await run(agent, 'go')
    expect(ran).toEqual([['execute_sql', { query: 'DELETE' }]])
  })

  test('shadow records what a policy would have said and acts on nothing', async () => {
    const { agent, ran } = policedAgent(
      shadow(definePolicy(() => ({ verdict: 'deny', reason: 'x' }), { name: 'trial' })),
    )
    const done = await run(agent, 'go')
    expect(ran).toHaveLength(1)
    expect(done.state.toString()).toContain('{"name":"trial","version":"1","verdict":"deny","shadow":true}')
  })
})

describe('edits', () => {
  test('an edit must fit argsSchema too, and the policies judge it once more', async () => {
    const argsSchema = { type: 'object', properties: { query: { type: 'string', maxLength: 10 } } }
    const noDrop = definePolicy(({ args }) =>
      args.query === 'DROP' ? { verdict: 'deny', reason: 'no DROP' } : { verdict: 'allow' },
    )
    const { agent, ran } = policedAgent([humanInTheLoop({ interruptOn: { execute_sql: { argsSchema } } }), noDrop])
    const { state } = await run(agent, 'go')
    const [request] = state.interruptions
    expect(request?.argsSchema).toEqual(argsSchema)
    await expect(state.edit(request!, { args: { query: 'far too long a query' } })).rejects.toBeInstanceOf(EditInvalid)
    await expect(state.edit(request!, { args: { query: 'DROP' } })).rejects.toThrow(/no DROP/)
    expect(state.interruptions).toHaveLength(1)
    await state.edit(request!, { args: { query: 'SELECT' } })
    await run(agent, state)
    expect(ran).toEqual([['execute_sql', { query: 'SELECT' }]])
  })

  test('another tool can be chosen only where a policy lets this reviewer approve it', async () => {
    const policy = humanInTheLoop({
      interruptOn: {
        execute_sql: true,
        write_file: { allowedDecisions: ['reject'] },
        'db.drop': { reviewers: ['bob'] },
        read_data: false,
      },
    })
    const rename = async (toolName: string): Promise<unknown[]> => {
      const { agent, ran } = policedAgent(policy)
      const { state } = await run(agent, 'go')
      await state.edit(state.interruptions[0]!, { toolName, args: { query: 'x' }, by: 'ann' })
      await run(agent, state)
      return ran
    }
    expect(await rename('read_data')).toEqual([['read_data', { query: 'x' }]])
    for (const name of ['write_file', 'db.drop', 'nothing'])
      await expect(rename(name)).rejects.toBeInstanceOf(EditInvalid)
  })
})
