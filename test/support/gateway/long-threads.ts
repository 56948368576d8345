import { z } from 'zod'
import { Agent, definePolicy, handoff, run, type Store, tool } from '../../../src/index.ts'
import { type ScriptStep, scriptedModel } from '../../../src/testing.ts'

const look = () =>
  tool({
    name: 'look',
    description: 'Looks.',
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => `saw ${n}`,
  })

const pay = () =>
  tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ to: z.string() }),
    needsApproval: true,
    execute: ({ to }) => `paid ${to}`,
  })

/** Turns that look one after the other. */
function looks(count: number, word = 'Look'): ScriptStep[] {
  return Array.from({ length: count }, (_, n) => ({
    text: `${word} ${n}.`,
    toolCalls: [{ id: `${word}${n}`, name: 'look', args: { n } }],
  }))
}

const calls = (...made: [id: string, name: string, args: object][]): ScriptStep => ({
  toolCalls: made.map(([id, name, args]) => ({ id, name, args: args as never })),
})

/** Who is asked: calls that pay Bob are for Bob alone. */
const reviewers = definePolicy(
  ({ toolName, args }) => {
    if (toolName !== 'pay') return { verdict: 'allow' }
    return { verdict: 'review', ...(JSON.stringify(args).includes('bob') ? { reviewers: ['bob'] } : {}) }
  },
  { name: 'reviewers' },
)

/**
 * Two runs of hundreds of entries. In the first another agent takes over. In the second an agent works inside of a call, calls are made side by side, and
 * two are held in the end: one for Bob and one for anybody, or the latter alone.
 */
export async function longThread(store: Store, threadId: string, options: { bob?: boolean } = {}): Promise<string[]> {
  const billing = new Agent({
    name: 'billing',
    model: scriptedModel([...looks(50, 'Bill'), 'Billed.']),
    tools: [look()],
  })
  const triage = new Agent({
    name: 'triage',
    model: scriptedModel([...looks(60), calls(['h', 'transfer_to_billing', {}])]),
    tools: [look()],
    handoffs: [handoff(billing)],
  })
  const first = await run(triage, 'first words', { store, threadId, maxTurns: 500 })
  if (first.status !== 'completed') throw new Error(`the first run is ${first.status}`, { cause: first.error })
  const held = options.bob ? [calls(['b', 'pay', { to: 'bob' }], ['a', 'pay', { to: 'ann' }])] : []
  const clerk = new Agent({
    name: 'clerk',
    model: scriptedModel([
      ...looks(10, 'See'),
      calls(['r', 'researcher', { input: 'dig' }]),
      ...Array.from({ length: 5 }, (_, n) => calls([`p${n}`, 'look', { n }], [`q${n}`, 'look', { n: n + 100 }])),
      ...looks(20, 'Check'),
      ...(held.length > 0 ? held : [{ text: 'Now I pay.', ...(calls(['a', 'pay', { to: 'ann' }]) as object) }]),
      'Paid.',
    ]),
    tools: [look(), pay(), researcher().asTool({ maxTurns: null })],
    policy: reviewers,
  })
  const paused = await run(clerk, 'second words', { store, threadId, maxTurns: 500 })
  if (paused.status !== 'interrupted') throw new Error(`the second run is ${paused.status}`, { cause: paused.error })
  return paused.interruptions.map(({ id }) => id)
}

function researcher(): Agent {
  return new Agent({ name: 'researcher', model: scriptedModel([...looks(80, 'Dig'), 'Dug.']), tools: [look()] })
}

/** One run that looks so often, and then pays: it waits for anybody. */
export async function longRun(store: Store, threadId: string, turns: number) {
  const script: ScriptStep[] = [
    ...looks(turns),
    { text: 'Now I pay.', ...(calls(['a', 'pay', { to: 'ann' }]) as object) },
    'Paid.',
  ]
  const agent = new Agent({ name: 'clerk', model: scriptedModel(script), tools: [look(), pay()] })
  const { interruptions, state } = await run(agent, 'please', { store, threadId, maxTurns: null })
  return { agent, state, id: interruptions[0]!.id }
}

/** An agent that pays while another one inside of a call does something, and then pays too: the second request is opened after that. */
export function decidedInside(between: () => Promise<void>) {
  const wait = tool({
    name: 'wait',
    description: 'Waits.',
    parameters: z.object({}),
    execute: async () => {
      await between()
      return 'waited'
    },
  })
  const script = [calls(['w', 'wait', {}]), calls(['p', 'pay', { to: 'ann' }]), 'Paid.']
  const helper = new Agent({ name: 'helper', model: scriptedModel(script), tools: [wait, pay()] })
  const both = calls(['a', 'pay', { to: 'ann' }], ['h', 'helper', { input: 'go' }])
  const agent = new Agent({ name: 'clerk', model: scriptedModel([both, 'Done.']), tools: [pay(), helper.asTool()] })
  return { agent }
}
