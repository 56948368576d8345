import type { RunResult, RunState, RunToolApprovalItem } from '@openai/agents'
import { type Gate, type GateState, pendingRequest } from '../../gate.ts'
import { HitlNoPendingRequest, type HitlRequest } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import { GatedAgents } from './agents.ts'
import { interruptedCall } from './calls.ts'
import { type AnyAgent, checkOptions, type Gated, type OpenaiGate, type OpenaiGateOptions } from './options.ts'
import { loadSdk } from './peers.ts'

/** What is kept of a paused run, under its conversation. */
export interface KeptRun {
  threadId: string
  state: string
}

/**
 * Puts agents of the OpenAI Agents SDK under a gate, for one conversation: held calls are interruptions, people decide in the inbox or with `decide`, and
 * each released call runs once, also if the same state is resumed twice.
 */
export function openaiGate(gate: Gate, options: OpenaiGateOptions): OpenaiGate {
  checkOptions(gate, options)
  const gated: Gated = { gate, options }
  const agents = new GatedAgents(gated)
  const { threadId } = options
  return {
    agent: (agent) => agents.copy(agent),
    run: async (agent, input, given) => {
      if ((given as { stream?: unknown } | undefined)?.stream)
        throw new InputInvalid(
          'run() does not stream: run gate.agent(agent) with the SDK, and call keep(result) after completed.',
        )
      return drive(gated, agents.copy(agent), { input, given }) as never
    },
    resume: async (agent, given) => {
      const kept = (await gate.bookmarked(threadId)) as KeptRun | null | undefined
      if (!kept) return undefined
      const { RunState } = await loadSdk()
      const copy = agents.copy(agent)
      const state = await RunState.fromString(copy, kept.state)
      for (const item of state.getInterruptions()) await settle(gated, state as AnyState, item)
      return drive(gated, copy, { input: state as AnyState, given }) as never
    },
    keep: (result) => keep(gated, result),
    request: (item) => requestAt(gated, item),
    decide: async (item, decision, { by }) => {
      const request = await requestAt(gated, item)
      if (!request) throw new HitlNoPendingRequest()
      return gate.decide(request, decision, { by })
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own types of any state and result
type AnyState = RunState<any, AnyAgent>
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own types of any state and result
type AnyResult = RunResult<any, AnyAgent>

/** Runs an agent, and keeps its state if it pauses. A call whose arguments are no object is refused at once: nobody could be asked about it. */
async function drive(
  gated: Gated,
  agent: AnyAgent,
  { input, given }: { input: unknown; given: unknown },
): Promise<AnyResult> {
  const { Runner } = await loadSdk()
  const runner = gated.options.runner ?? new Runner()
  for (let next = input; ; ) {
    const result = (await runner.run(agent, next as string, given as never)) as AnyResult
    const invalid = result.interruptions.filter((item) => interruptedCall(gated, item) === 'invalid')
    if (invalid.length === 0) {
      await keep(gated, result)
      return result
    }
    for (const item of invalid) await settle(gated, result.state, item)
    next = result.state
  }
}

async function keep({ gate, options }: Gated, result: Parameters<OpenaiGate['keep']>[0]): Promise<void> {
  const { threadId } = options
  if ((result.interruptions ?? []).length > 0) {
    await gate.bookmark(threadId, { threadId, state: result.state.toString() } satisfies KeptRun)
  } else if (await gate.bookmarked(threadId)) {
    await gate.bookmark(threadId, null)
  }
}

/** Tells the SDK what was decided about an interruption. What it is told counts for nothing where the tool runs: the gate is asked again there. */
async function settle(gated: Gated, state: AnyState, item: RunToolApprovalItem): Promise<void> {
  const call = interruptedCall(gated, item)
  if (call === 'foreign') return
  if (call === 'invalid') {
    state.reject(item, { message: 'The arguments are not a JSON object.' })
    return
  }
  let now = await gated.gate.wait(call, { timeoutSeconds: 0 })
  if (isPassing(now)) now = await gated.gate.wait(call)
  if (pendingRequest(now)) return
  if (now.status === 'refused' && now.isError) state.reject(item, { message: now.message })
  else state.approve(item)
}

/** Whether the state changes by itself soon: a decision that can still be withdrawn, or a call that runs elsewhere. */
function isPassing(state: GateState): boolean {
  if (state.status === 'held') return state.request.status !== 'open'
  return state.status === 'unknown' && state.request === undefined
}

async function requestAt(gated: Gated, item: RunToolApprovalItem): Promise<HitlRequest | undefined> {
  const call = interruptedCall(gated, item)
  return typeof call === 'string' ? undefined : pendingRequest(await gated.gate.state(call))
}
