import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  handoff,
  type RunContext,
  Runner,
  type RunOptions,
  type RunResult,
  run,
  type StreamedRunResult,
  type ToolContext,
  tool,
} from '../../src/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'

interface Context {
  user: string
}
interface Deps {
  paid: string[]
}

// Checked by the compiler: what is expected to be an error and is none fails the type check.
test('types follow from parameters, and an application may say what its context and deps are', async () => {
  const model = scriptedModel([{ toolCalls: [{ id: 'p', name: 'pay', args: { cents: 5 } }] }, 'done'])
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ cents: z.number(), to: z.string().default('bob') }),
    needsApproval: (runContext: RunContext<Context>, args) => {
      expectTypeOf(args).toEqualTypeOf<{ cents: number; to: string }>()
      return runContext.context.user !== 'ann'
    },
    execute: ({ to }, { context, deps }: ToolContext<Context, Deps>) => deps.paid.push(`${context.user} to ${to}`),
  })
  const agent = new Agent({
    name: 'clerk',
    instructions: ({ context }: RunContext<Context>) => `You serve ${context.user}.`,
    model,
    tools: [pay],
  })
  const context: Context = { user: 'ann' }
  const deps: Deps = { paid: [] }
  const result = await run(agent, 'x', { context, deps })
  expect(deps.paid).toEqual(['ann to bob'])
  expect(model.requests[0]?.instructions).toBe('You serve ann.')
  expectTypeOf(result).toEqualTypeOf<RunResult>()

  // @ts-expect-error the arguments have no such member
  tool({ name: 't', description: '', parameters: z.object({ n: z.number() }), execute: ({ m }) => m })
  // @ts-expect-error only a boolean says whether to ask
  tool({ name: 't', description: '', parameters: z.object({}), needsApproval: () => 'yes', execute: () => 1 })
})

test('hand-offs and agents as tools know their arguments, also without parameters of their own', () => {
  const agent = new Agent({ name: 'clerk', model: scriptedModel([]) })
  handoff(agent, {
    parameters: z.object({ reason: z.string() }),
    needsApproval: (_runContext, args) => args.reason === '',
    onHandoff: (args) => expectTypeOf(args).toEqualTypeOf<{ reason: string }>(),
  })
  handoff(agent, { onHandoff: (args) => expectTypeOf(args).toEqualTypeOf<Record<string, never>>() })
  agent.asTool({ inputBuilder: ({ input }) => input.trim() })
  agent.asTool({ parameters: z.object({ city: z.string() }), inputBuilder: ({ city }) => city.trim() })
  // @ts-expect-error it is called with { input }
  agent.asTool({ inputBuilder: ({ city }) => city })
  expect(handoff(agent).name).toBe('transfer_to_clerk')
})

test('whether a run is streamed shows in the type of what it returns', () => {
  const runner = new Runner()
  const agent = new Agent({ name: 'clerk', model: scriptedModel([]) })
  const plain = (options?: RunOptions) => run(agent, 'x', options)
  const streamed = () => runner.run(agent, 'x', { stream: true })
  const either = (stream: boolean) => run(agent, 'x', { stream })
  expectTypeOf(plain).returns.resolves.toEqualTypeOf<RunResult>()
  expectTypeOf(streamed).returns.resolves.toEqualTypeOf<StreamedRunResult>()
  expectTypeOf(either).returns.resolves.toEqualTypeOf<RunResult | StreamedRunResult>()
})
