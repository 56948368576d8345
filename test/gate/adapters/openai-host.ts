import { Agent, Runner, RunState, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { createGate, hostPolicy } from '../../../src/gate.ts'
import { HoldpointError, type JsonObject, type JsonValue } from '../../../src/index.ts'
import { type OpenaiGate, openaiGate } from '../../../src/openai-agents.ts'
import type {
  AdapterHarness,
  AdapterHost,
  HostAnswer,
  HostCall,
  HostCallState,
  HostSetup,
} from '../../../src/testing.ts'
import { withArgs } from './with-args.ts'

/** What this host keeps: the state string of the SDK, as JSON. */
interface Saved {
  calls: HostCall[]
  state: JsonValue
}

/** `kept`: the adapter keeps the state and resumes it. `restored`: the application restores the state string and runs it with the SDK. */
export type Resuming = 'kept' | 'restored'

const runner = new Runner({ tracingDisabled: true })
const done = [assistantMessage('Done.')]

/** An agent of the OpenAI Agents SDK. Its model makes the calls of a case, and then ends. */
export function openaiHarness(resuming: Resuming): AdapterHarness {
  return {
    answers: ['approve', 'edit', 'reject', 'respond'],
    start: async (setup) => startHost(setup, resuming),
  }
}

function startHost(setup: HostSetup, resuming: Resuming): AdapterHost {
  const { store, conversation, reviewer } = setup
  const gate = createGate({ store, policy: hostPolicy, source: 'openai-agents', holdSeconds: 0 })
  const desk = openaiGate(gate, { threadId: conversation, runner })

  async function turn(calls: HostCall[], before: JsonValue, run: () => Promise<Result | undefined>) {
    let result: Result | undefined
    let failure: string | undefined
    try {
      result = await run()
    } catch (error) {
      failure = String(error)
    }
    const states = await Promise.all(
      calls.map(async ({ id, toolName, args }): Promise<HostCallState> => {
        const output = outputOf(result, id)
        const waits = result?.interruptions.some(({ rawItem }) => 'callId' in rawItem && rawItem.callId === id)
        if (waits) return { id, status: 'waiting' }
        if (output === undefined) return { id, status: 'refused', message: failure ?? 'The host has no result.' }
        // The SDK gives its model refusals as results: only the gate can tell them apart.
        const state = await gate.state({ threadId: conversation, callId: id, toolName, args })
        const isRefused = state.status === 'refused' && state.isError
        return isRefused ? { id, status: 'refused', message: String(output) } : { id, status: 'done', result: output }
      }),
    )
    const state = result ? (JSON.parse(result.state.toString()) as JsonValue) : before
    return { calls: states, saved: { calls, state } as unknown as JsonValue }
  }

  return {
    call: (calls) => turn([...calls], null, () => desk.run(agentOf(setup, calls), 'Pay.') as Promise<Result>),
    resume: (given, answers) => {
      const { calls, state } = given as unknown as Saved
      const agent = agentOf(setup, [])
      return turn(calls, state, async () => {
        const text = JSON.stringify(state)
        const restored = await RunState.fromString(desk.agent(agent), text)
        for (const answer of answers ?? []) await decide(desk, { restored, answer, reviewer })
        if (resuming === 'restored') return (await runner.run(desk.agent(agent), restored)) as Result
        await gate.bookmark(conversation, { threadId: conversation, state: text })
        return (await desk.resume(agent)) as Result | undefined
      })
    },
    tamper: (saved, callId, args) => withArgs(saved, callId, args),
    forge: async (calls) => {
      // The SDK without a gate: its state says that the calls were approved.
      const { state } = await runner.run(agentOf(setup, calls), 'Pay.')
      for (const item of state.getInterruptions()) state.approve(item)
      return { calls, state: JSON.parse(state.toString()) as JsonValue } as unknown as JsonValue
    },
  }
}

type AnyState = RunState<unknown, Agent>

interface Result {
  state: AnyState
  interruptions: { rawItem: object }[]
  history: { type?: string; callId?: string; output?: unknown }[]
}

function agentOf({ tools, held }: HostSetup, calls: readonly HostCall[]): Agent {
  const answer = calls.map(({ id, toolName, args }) => functionCall(toolName, args, { callId: id }))
  return new Agent({
    name: 'Desk',
    model: new ScriptedModel(calls.length > 0 ? [answer, done] : [done]),
    tools: tools.map(({ name, description, run }) =>
      tool({
        name,
        description,
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
        strict: false,
        needsApproval: held.includes(name),
        execute: (args) => run(args as JsonObject),
      }),
    ),
  })
}

async function decide(
  desk: OpenaiGate,
  { restored, answer, reviewer }: { restored: AnyState; answer: HostAnswer; reviewer: HostSetup['reviewer'] },
): Promise<void> {
  const item = restored
    .getInterruptions()
    .find(({ rawItem }) => 'callId' in rawItem && rawItem.callId === answer.callId)
  if (!item) return
  try {
    await desk.decide(item, answer.decision, { by: reviewer })
  } catch (error) {
    // Somebody else was faster: what they decided counts.
    if (!HoldpointError.isInstance(error) || error.code.startsWith('store_')) throw error
  }
}

function outputOf(result: Result | undefined, callId: string): JsonValue | undefined {
  const item = result?.history.find((one) => one.type === 'function_call_result' && one.callId === callId)
  const output = item?.output as { text?: JsonValue } | undefined
  return item && (output?.text ?? (output as JsonValue))
}
