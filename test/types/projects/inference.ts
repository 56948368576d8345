// Compiled by test/types/projects.test.ts against the built package: what must be inferred, and what must be refused.
import {
  Agent,
  definePolicy,
  type FactsContext,
  handoff,
  type InputGuardrail,
  type Middleware,
  memoryStore,
  type RunContext,
  Runner,
  type RunResult,
  run,
  type StreamedRunResult,
  type Thread,
  type ThreadResult,
  type Tool,
  type ToolContext,
  tool,
} from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import { z } from 'zod'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <T extends true>(): T => true as T

interface Shop {
  user: string
}
interface Deps {
  ledger: string[]
}
interface Other {
  account: number
}

const model = scriptedModel([])

// A tool: arguments from parameters, context and deps from what its body asks for.
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ cents: z.number(), to: z.string().default('bob') }),
  needsApproval: (runContext, args) => {
    same<Equal<typeof args, { cents: number; to: string }>>()
    same<Equal<typeof runContext, RunContext<unknown>>>()
    return args.cents > 100
  },
  preview: ({ cents }, { context }: FactsContext<Shop>) => `${context.user} pays ${cents}`,
  execute: ({ to, cents }, ctx: ToolContext<Shop, Deps>) => {
    same<Equal<typeof cents, number>>()
    ctx.deps.ledger.push(`${ctx.context.user} to ${to}`)
  },
})
same<Equal<typeof pay, Tool<Shop>>>()
const look = tool({ name: 'look', description: 'Looks.', parameters: z.object({}), execute: () => 'ok' })
same<Equal<typeof look, Tool<unknown>>>()

// An agent: its context from its tools, its output from outputType.
const reply = z.object({ ok: z.boolean(), at: z.string() })
type Reply = z.infer<typeof reply>
const clerk = new Agent({ name: 'clerk', model, outputType: reply, tools: [look, pay] })
same<Equal<typeof clerk, Agent<Shop, Reply>>>()
const plain = new Agent({ name: 'plain', model, tools: [look] })
same<Equal<typeof plain, Agent<unknown, string>>>()

export async function results(): Promise<void> {
  const result = await run(clerk, 'x', { context: { user: 'ann' } })
  same<Equal<typeof result, RunResult<Reply>>>()
  if (result.status === 'completed') same<Equal<typeof result.finalOutput, Reply>>()
  same<Equal<typeof result.finalOutput, Reply | undefined>>()
  same<Equal<Awaited<ReturnType<typeof streamed>>, StreamedRunResult<Reply>>>()
  const again = await run(clerk, result.state)
  same<Equal<typeof again, RunResult<Reply>>>()
  const other = await new Runner().run(clerk, 'x', { context: { user: 'ann' } })
  same<Equal<typeof other, RunResult<Reply>>>()
  const words = await run(plain, 'x', { context: { anything: 1 } })
  same<Equal<typeof words, RunResult<string>>>()
  const thread = clerk.thread('t', { store: memoryStore() })
  same<Equal<typeof thread, Thread<Shop, Reply>>>()
  const settled = await thread.prompt('x', { context: { user: 'ann' } })
  same<Equal<typeof settled, ThreadResult<Reply>>>()
  if (settled.status === 'completed') same<Equal<typeof settled.finalOutput, Reply>>()

  // @ts-expect-error the tools need another context
  await run(clerk, 'x', { context: { account: 1 } })
  // @ts-expect-error the same of a thread
  await thread.prompt('x', { context: { account: 1 } })
  // @ts-expect-error the output has no such member
  if (result.status === 'completed') result.finalOutput.missing
  // @ts-expect-error the output of an agent without outputType is a string
  if (words.status === 'completed') words.finalOutput.ok
}
const streamed = () => run(clerk, 'x', { stream: true })

// Everything around an agent knows its context too.
const onlyAnn = definePolicy(({ runContext }: { runContext: RunContext<Shop> }) =>
  runContext.context.user === 'ann' ? { verdict: 'allow' } : { verdict: 'review' },
)
const hooks: Middleware<Shop> = { name: 'hooks', beforeTool: ({ runContext }) => void runContext.context.user.length }
const guard: InputGuardrail<Shop> = {
  name: 'guard',
  execute: ({ runContext }) => ({ tripwireTriggered: runContext.context.user === '' }),
}
const billing = new Agent<Shop>({
  name: 'billing',
  model,
  instructions: ({ context }) => {
    same<Equal<typeof context, Shop>>()
    return `You serve ${context.user}.`
  },
  tools: [
    pay,
    look,
    tool({ name: 't', description: '', parameters: z.object({}), execute: (_, { context }) => context.user }),
  ],
  policy: [
    onlyAnn,
    definePolicy(({ runContext }) => (runContext.context.user ? { verdict: 'allow' } : { verdict: 'review' })),
  ],
  middleware: [hooks, { name: 'inline', afterTool: ({ runContext }) => void runContext.context.user.length }],
  inputGuardrails: [guard],
})
export const desk = new Agent<Shop>({
  name: 'desk',
  model,
  tools: [billing.asTool({ needsApproval: ({ context }, { input }) => context.user === input })],
  handoffs: [
    billing,
    handoff(billing, {
      parameters: z.object({ reason: z.string() }),
      onHandoff: ({ reason }, { context }) => {
        same<Equal<typeof reason, string>>()
        same<Equal<typeof context, Shop>>()
      },
      inputFilter: ({ messages, runContext }) => (runContext.context.user ? messages : []),
    }),
  ],
})

// Tools and agents that do not say what they need go with every other.
export const anything: Tool[] = [pay, look]
export const anyone: Agent[] = [billing, plain]
new Agent<Shop>({ name: 'mixed', model, tools: anything, handoffs: anyone })

const stranger = tool({
  name: 'stranger',
  description: '',
  parameters: z.object({}),
  execute: (_, { context }: ToolContext<Other>) => context.account,
})
// @ts-expect-error a tool that needs another context
new Agent<Shop>({ name: 'a', model, tools: [stranger] })
// @ts-expect-error a hand-off to an agent that needs another context
new Agent<Shop>({ name: 'a', model, handoffs: [new Agent<Other>({ name: 'b', model })] })
// @ts-expect-error a hand-off to an agent with another output
new Agent({ name: 'a', model, handoffs: [clerk] })
// @ts-expect-error middleware for another context
new Agent<Shop>({ name: 'a', model, middleware: [{} as Middleware<Other>] })
const strange = definePolicy((_call: { runContext: RunContext<Other> }) => ({ verdict: 'allow' }))
// @ts-expect-error a policy for another context
new Agent<Shop>({ name: 'a', model, policy: strange })
// @ts-expect-error the arguments have no such member
tool({ name: 't', description: '', parameters: z.object({ n: z.number() }), execute: ({ m }) => m })
// @ts-expect-error only a boolean says whether to ask
tool({ name: 't', description: '', parameters: z.object({}), needsApproval: () => 'yes', execute: () => 1 })
// @ts-expect-error an unknown option
tool({ name: 't', description: '', parameters: z.object({}), needApproval: true, execute: () => 1 })
