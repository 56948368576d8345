import { HoldpointError, messageOf } from './error-base.ts'

/** An agent was built from parts that do not fit together. */
export class AgentInvalid extends HoldpointError {
  constructor(problem: string) {
    super('agent_invalid', problem)
  }
}

/** A run was resumed with a different agent than it was started with. */
export class AgentMismatch extends HoldpointError {
  readonly expected: string
  readonly actual: string

  constructor(expected: string, actual: string) {
    super(
      'agent_mismatch',
      `This run was started by agent "${expected}", not "${actual}": resume it with that agent, or give the agent that id.`,
    )
    this.expected = expected
    this.actual = actual
  }
}

/** A journal names an agent that the given graph does not have. The run stays as it is. */
export class AgentMissing extends HoldpointError {
  readonly agentId: string
  readonly known: readonly string[]

  constructor(agentId: string, known: readonly string[], why?: string) {
    super(
      'agent_missing',
      `There is no agent "${agentId}" under the agent that was given${why === undefined ? '' : `: ${why}`}. It has: ${known.join(', ')}. Resume with the agents that the run was started with, or give the agent that id.`,
    )
    this.agentId = agentId
    this.known = known
  }
}

/** A run was started on a version of its agent that the runner does not have. The run stays as it is. */
export class AgentVersionMissing extends HoldpointError {
  readonly version: string | undefined
  readonly known: readonly string[]

  constructor(version: string | undefined, known: readonly string[]) {
    const has = known.length > 0 ? known.map((one) => `"${one}"`).join(', ') : 'none'
    super(
      'agent_version_missing',
      version === undefined
        ? `This run was started by an agent without a version; resume it with run(agent, state). The runner has: ${has}.`
        : `This run was started on version "${version}" of its agent. The runner has: ${has}. Add that version to its agents.`,
    )
    this.version = version
    this.known = known
  }
}

/** No live worker has the version of an agent that a run shall go on with. Nothing was written. */
export class VersionUnavailable extends HoldpointError {
  readonly agentId: string
  readonly version: string | null

  constructor(agentId: string, version: string | null) {
    const what =
      version === null ? `agent "${agentId}" without a version` : `version "${version}" of agent "${agentId}"`
    super(
      'version_unavailable',
      `No live worker has ${what}. Start one, or choose another version. Nothing was written.`,
    )
    this.agentId = agentId
    this.version = version
  }
}

/** `context` is not plain JSON. It must be, because it is stored. */
export class ContextInvalid extends HoldpointError {
  constructor(problem: string) {
    super('context_invalid', `context must be plain JSON, because it is stored: ${problem}. Pass live objects as deps.`)
  }
}

/** A call's preview or preconditions differed every time before it ran. It was not run, and the model is told. */
export class FactsUnstable extends HoldpointError {
  readonly toolName: string
  /** The paths that differed the last time, e.g. `preconditions.balance`. */
  readonly members: readonly string[]

  constructor(toolName: string, members: readonly string[], rounds: number) {
    super(
      'facts_unstable',
      `${toolName} differed from what was approved ${rounds} times in a row, the last time in: ${members.join(', ')}. It was not run. Leave values that always change (a time, a live count) out of preview and preconditions, or let preview return { show, compare }.`,
    )
    this.toolName = toolName
    this.members = members
  }
}

/** An input or option is invalid. */
export class InputInvalid extends HoldpointError {
  constructor(problem: string) {
    super('input_invalid', problem)
  }
}

/** Something exceeds a size limit. None of it was stored. */
export class LimitExceeded extends HoldpointError {
  /** The name of the limit in `limits`. */
  readonly what: 'callsPerAnswer' | 'entryBytes'
  readonly limit: number
  readonly found: number

  constructor(what: LimitExceeded['what'], { limit, found }: { limit: number; found: number }) {
    const subject =
      what === 'entryBytes'
        ? `An entry of ${found} bytes is too long for the store`
        : `An answer with ${found} calls was refused, and none of them ran`
    super(
      'limit_exceeded',
      `${subject}: limits.${what} is ${limit}. Nothing of it was stored: raise the limit and resume.`,
    )
    this.what = what
    this.limit = limit
    this.found = found
  }
}

/** The model repeated a call that was rejected as often as the run allows. Nothing of the turn was stored. */
export class MaxRejectionsExceeded extends HoldpointError {
  readonly toolName: string
  readonly limit: number

  constructor(toolName: string, limit: number) {
    super(
      'max_rejections_exceeded',
      `The model called ${toolName} again with arguments that were rejected ${limit} time(s). Resume with other input to go on.`,
    )
    this.toolName = toolName
    this.limit = limit
  }
}

/** The run reached its limit of model calls. Resume it with a larger `maxTurns` to go on. */
export class MaxTurnsExceeded extends HoldpointError {
  readonly maxTurns: number

  constructor(maxTurns: number) {
    super(
      'max_turns_exceeded',
      `The run made ${maxTurns} model calls, its limit. Resume it with a larger maxTurns to go on.`,
    )
    this.maxTurns = maxTurns
  }
}

/** An MCP server could not be reached, or did not respond correctly. */
export class McpServerFailed extends HoldpointError {
  readonly server: string

  constructor(server: string, problem: string, cause?: unknown) {
    super('mcp_server_failed', `MCP server "${server}": ${problem}.`, { cause })
    this.server = server
  }
}

/** An MCP server has invalid options, or its tools differ from what the options say. */
export class McpServerInvalid extends HoldpointError {
  readonly server: string

  constructor(server: string, problem: string) {
    super('mcp_server_invalid', `MCP server "${server}": ${problem}.`)
    this.server = server
  }
}

/** The model threw. Nothing of the turn was stored; resuming asks it again. */
export class ModelFailed extends HoldpointError {
  readonly #retryable: boolean

  /** `problem` replaces the cause's own message. `retryable: false`: asking again without a change cannot help. */
  constructor(
    cause: unknown,
    { problem = messageOf(cause), retryable = true }: { problem?: string; retryable?: boolean } = {},
  ) {
    super('model_failed', `The model failed: ${problem}. Nothing was lost: resume the run to ask it again.`, { cause })
    this.#retryable = retryable
  }

  override get retryable(): boolean {
    return this.#retryable
  }
}

/** The model's answer contradicts itself. Nothing of it ran. */
export class ModelResponseInvalid extends HoldpointError {
  constructor(problem: string) {
    super('model_response_invalid', `The model's answer cannot be used: ${problem}. Nothing of it was stored or run.`)
  }
}

/** Thrown by a tool's body if it does not know whether it took effect. The tool's `onUnknownOutcome` then decides. */
export class OutcomeUnknown extends HoldpointError {
  constructor(problem: string, cause?: unknown) {
    super('outcome_unknown', problem, { cause })
  }
}

/**
 * Custom code that judges calls (a policy, a hook, `needsApproval`) threw or returned an invalid value. The call did
 * not run.
 */
export class PolicyFailed extends HoldpointError {
  readonly toolName: string
  /** The problem, without the advice. */
  readonly problem: string

  constructor(
    toolName: string,
    problem: string,
    { cause, harm = 'Nothing of this turn ran' }: { cause?: unknown; harm?: string | undefined } = {},
  ) {
    super('policy_failed', `${problem}. ${harm}; resume when it is fixed.`, { cause })
    this.toolName = toolName
    this.problem = problem
  }
}

/** A policy is invalid. Thrown when the agent is built. */
export class PolicyInvalid extends HoldpointError {
  constructor(problem: string) {
    super('policy_invalid', problem)
  }
}

/** A tool with `errorFunction: null` threw, or its `errorFunction` failed. The call has its result; running the state again goes on. */
export class ToolFailed extends HoldpointError {
  readonly toolName: string

  constructor(toolName: string, problem: string, cause?: unknown) {
    super('tool_failed', `Tool "${toolName}" failed: ${problem}`, { cause })
    this.toolName = toolName
  }
}

/** A tool's definition is invalid. */
export class ToolInvalid extends HoldpointError {
  constructor(name: string, problem: string, cause?: unknown) {
    super('tool_invalid', `Tool "${name}": ${problem}.`, { cause })
  }
}

/** A stored call names a tool that this agent does not have. Nothing ran; the run stays resumable. */
export class ToolMissing extends HoldpointError {
  readonly toolName: string

  constructor(toolName: string, agent: string) {
    super(
      'tool_missing',
      `A call waits to run tool "${toolName}", but agent "${agent}" has no such tool. Add the tool again and resume; nothing was lost.`,
    )
    this.toolName = toolName
  }
}
