import { randomUUID } from 'node:crypto'
import type { HookAnswer } from '../../../src/cli/gate/hook.ts'
import { denial, hookGate, type Known } from '../../../src/cli/gate/hook-gate.ts'
import { hosts } from '../../../src/cli/gate/hosts/find-host.ts'
import { type StoreGateOptions, storeGate } from '../../../src/cli/gate/store-gate.ts'
import { humanInTheLoop, type JsonObject, type JsonValue } from '../../../src/index.ts'
import type { AdapterHarness, AdapterHost, HostCall, HostCallState, HostSetup } from '../../../src/testing.ts'
import { inputOf } from '../../cli/hooks/input-of.ts'
import { toolOf } from './bare-host.ts'
import { withArgs } from './with-args.ts'

/** What a coding agent does with a call after its hook has answered. */
type Heard = { readonly runs: JsonObject } | { readonly denied: string }

/** A coding agent. Only its model is scripted: it makes denied calls again when it is told to. */
export interface CodingAgent {
  readonly name: 'claude-code' | 'gemini'
  /** The members of its hooks' input by which it names a call. */
  idOf(call: HostCall): JsonObject
  /** How the result of a tool is told to its hooks. */
  toResponse(result: JsonValue): JsonValue
  /** What it reads from the JSON that a hook printed. */
  hear(stdout: string, args: JsonObject): Heard
}

/** Claude Code. Changed arguments replace those of the model. */
export const claudeCode: CodingAgent = {
  name: 'claude-code',
  // A call that the model makes again has another id.
  idOf: () => ({ tool_use_id: `toolu_${randomUUID()}` }),
  toResponse: (result) => result,
  hear(stdout, args) {
    const { hookSpecificOutput: said = {} } = JSON.parse(stdout) as {
      hookSpecificOutput?: { permissionDecision?: string; permissionDecisionReason?: string; updatedInput?: JsonObject }
    }
    if (said.permissionDecision === 'deny') return { denied: said.permissionDecisionReason ?? '' }
    return { runs: said.updatedInput ?? args }
  },
}

/** Claude Code that continues a session in which the call has its id already. */
export const claudeCodeResumed: CodingAgent = { ...claudeCode, idOf: ({ id }) => ({ tool_use_id: id }) }

/** Gemini CLI. It has no call ids, and merges changed arguments over those of the model. */
export const gemini: CodingAgent = {
  name: 'gemini',
  idOf: () => ({}),
  toResponse: (result) => ({ llmContent: JSON.stringify(result), returnDisplay: '' }),
  hear(stdout, args) {
    const { decision, reason, hookSpecificOutput } = JSON.parse(stdout) as {
      decision?: string
      reason?: string
      hookSpecificOutput?: { tool_input?: JsonObject }
    }
    if (decision === 'deny') return { denied: reason ?? '' }
    return { runs: { ...args, ...hookSpecificOutput?.tool_input } }
  },
}

const ONE_REQUEST =
  'equal calls at once share one request, since a hook cannot tell them from one call made again; each still needs an approval of its own'

/**
 * The hooks of a coding agent, which runs its tools itself. It has no state to save: its model makes the calls again that were denied for now. Its policy asks
 * about calls without an end, as the suite requires.
 */
export function hooksHarness(
  agent: CodingAgent,
  policy: Pick<StoreGateOptions, 'onHandedOver'> = { onHandedOver: { askAfterSeconds: 60 } },
): AdapterHarness {
  return {
    start: async (setup) => startAgent({ agent, setup, policy }),
    skips: [
      {
        reason: ONE_REQUEST,
        cases: [
          'two equal calls of one message are two requests and two effects',
          'of two equal calls of which one is approved, one runs',
        ],
      },
    ],
  }
}

interface Session {
  readonly agent: CodingAgent
  readonly setup: HostSetup
  readonly policy: Pick<StoreGateOptions, 'onHandedOver'>
}

function startAgent(session: Session): AdapterHost {
  const make = async (calls: readonly HostCall[]) => {
    const states = await Promise.all(calls.map((call) => callThrough(session, call)))
    const left = calls.filter((_, index) => states[index]?.status === 'waiting')
    return { calls: states, saved: left as unknown as JsonValue }
  }
  return {
    call: make,
    resume: (saved) => make(saved as unknown as HostCall[]),
    tamper: withArgs,
    // Agents do not save approvals. All that can be forged is the call.
    forge: (calls) => calls as unknown as JsonValue,
  }
}

async function callThrough(session: Session, call: HostCall): Promise<HostCallState> {
  const { agent, setup } = session
  const { id, toolName, args } = call
  const made = { session_id: setup.conversation, tool_name: toolName, ...agent.idOf(call) }
  const heard = hear(agent, await hook(session, inputOf(`${agent.name}-pre`, { ...made, tool_input: args })), args)
  if ('denied' in heard)
    return heard.denied.includes('Make the same call again')
      ? { id, status: 'waiting' }
      : { id, status: 'refused', message: heard.denied }
  const result = await toolOf(setup, call)(heard.runs)
  const ended = { ...made, tool_input: heard.runs, tool_response: agent.toResponse(result) }
  const { stderr } = await hook(session, inputOf(`${agent.name}-post`, ended))
  // The agent itself would not care, but the gate must know how the call ended.
  return stderr === '' ? { id, status: 'done', result } : { id, status: 'refused', message: stderr }
}

/** An agent runs whatever is not denied: also if the hook prints nothing, or ends with 1. */
function hear(agent: CodingAgent, { exitCode, stdout, stderr }: HookAnswer, args: JsonObject): Heard {
  if (exitCode === 2) return { denied: stderr }
  return exitCode === 0 && stdout !== '' ? agent.hear(stdout, args) : { runs: args }
}

/** One hook, as a process of its own would be: with a gate of its own, and no time to wait for people. */
async function hook({ agent, setup, policy }: Session, input: JsonObject): Promise<HookAnswer> {
  const known: Known = { host: hosts[agent.name], event: 'PreToolUse', isOver: false }
  const interruptOn = Object.fromEntries(setup.held.map((name) => [name, true]))
  const gate = storeGate({
    store: setup.store,
    policies: [humanInTheLoop({ interruptOn })],
    ...policy,
    source: agent.name,
    principal: 'dev',
    // The suite decides through no door.
    via: undefined,
  })
  try {
    return await hookGate(known, JSON.stringify(input), {
      withGate: (_, work) => work(gate),
      until: 0,
      signal: new AbortController().signal,
      now: () => 0,
    })
  } catch (error) {
    return denial(known, String(error))
  }
}
