import { idempotencyKey } from '../../core/digest.ts'
import { copyContext } from '../../core/open-run.ts'
import { errorResult } from '../../core/plan/results.ts'
import type { Run } from '../../core/state.ts'
import type { Clock } from '../../ports/clock.ts'
import { HoldpointError, QuestionNotAwaited } from '../../protocol/errors/errors.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import type { ToolResult } from '../../protocol/message.ts'
import { failureOf } from '../definition/error-function.ts'
import { guardResult } from '../definition/guardrails.ts'
import { refusalBefore, resultAfter } from '../definition/hooks.ts'
import type { ToolHook } from '../definition/middleware.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { bodyArgs } from '../definition/tool/args.ts'
import type { ToolContext } from '../definition/tool/tool-context.ts'
import { toResult } from '../definition/tool/tool-output.ts'
import { type BodyEnd, finished, interrupted, note } from './body-end.ts'
import type { BodyRecord } from './body-record.ts'
import { BodySteps } from './body-steps.ts'
import type { BodyWaits } from './body-waits.ts'
import type { StartedCall } from './started-call.ts'
import { Stopwatch } from './stopwatch.ts'

/** How often a tool is retried that keeps reporting an unknown outcome. */
const MAX_TRIES = 3

/** The right to start bodies. Checked right before each, since hooks, queues and a frozen process can outlive it. */
interface BodyLease {
  covers(token: number | undefined): boolean
  secure(token: number | undefined): Promise<boolean>
}

/** What bodies share. */
export interface BodyEnvironment {
  lease: BodyLease
  tenant: string
  threadId: string
  deps: unknown
  signal: AbortSignal
  /** The clock of the tools' timeouts. */
  clock: Clock | undefined
  /** Runs work after all earlier work of the same line. */
  inLine<T>(line: string, work: () => Promise<T>): Promise<T>
  recordOf(started: StartedCall): BodyRecord
  waitsOf(record: BodyRecord, stopwatch: Stopwatch): BodyWaits
  /** Runs an attempt inside of its call's span. Absent if nothing is traced. */
  inCall?: (<T>(key: CallKey, work: () => T) => T) | undefined
}

/** The body must not begin any more. */
class NotBegun extends Error {}

/**
 * One attempt at a started call: checks, hooks, the body itself, hooks and guardrails on its result.
 *
 * B1  The body begins only while the lease covers its token. That is checked last, and nothing is awaited between the check and the body.
 * B2  It gets the exact arguments that were released. A tool whose definition has changed since does not run.
 * B3  A wait that ended without an answer decides how the attempt ends, whatever the body returns or throws.
 * B4  `run` never rejects. Each way to end is a `BodyEnd`.
 */
export class Attempt {
  readonly #environment: BodyEnvironment
  readonly #run: Run
  readonly #started: StartedCall
  readonly #record: BodyRecord
  readonly #steps: BodySteps
  readonly #waits: BodyWaits
  readonly #stopwatch: Stopwatch
  /** Fires when the tool's time is over. Without a timeout the body shares the run's signal, which is cheaper. */
  readonly #timeout: AbortController | undefined
  readonly #expired: Promise<'expired'>

  constructor(environment: BodyEnvironment, run: Run, started: StartedCall) {
    const { timeoutSeconds } = started.tool
    let expire: (() => void) | undefined
    this.#expired = new Promise((resolve) => {
      expire = () => resolve('expired')
    })
    this.#environment = environment
    this.#run = run
    this.#started = started
    this.#timeout = timeoutSeconds === undefined ? undefined : new AbortController()
    this.#stopwatch = new Stopwatch(timeoutSeconds, () => expire?.(), environment.clock)
    this.#record = environment.recordOf(started)
    this.#steps = new BodySteps(this.#record)
    this.#waits = environment.waitsOf(this.#record, this.#stopwatch)
  }

  /** Runs the attempt to its end. */
  async run(): Promise<BodyEnd> {
    try {
      return await this.#attempt()
    } catch (error) {
      return await this.#failed(error)
    } finally {
      this.#waits.leave()
      this.#stopwatch.stop()
    }
  }

  async #attempt(): Promise<BodyEnd> {
    const { tool, release, token } = this.#started
    if (token === undefined) return this.#notBegun
    // A slow renewal does not count as the tool's time.
    this.#stopwatch.pause()
    const secured = await this.#environment.lease.secure(token)
    this.#stopwatch.resume()
    if (!secured) return this.#notBegun
    if (tool.current && tool.fingerprint !== release.definition)
      return finished(errorResult(modelMessages.changed(tool.name)))
    const checked = await bodyArgs(tool.parameters, release)
    if (!checked.ok) return finished(errorResult(modelMessages.invalidArgs(tool.name, checked.problems)))
    const refused = await this.#askHooks(token)
    if (refused) return refused
    return this.#execute(checked.value, token)
  }

  /** Asks the hooks before the tool. Returns an end if the body does not run. */
  async #askHooks(token: number): Promise<BodyEnd | undefined> {
    const { agent } = this.#started
    if (agent.middleware.length === 0) return undefined
    const refused = await refusalBefore(agent, {
      ...toolHook(this.#started),
      hold: (request, options) => this.#waits.holdBefore(request, options),
    })
    const early = interrupted(this.#record)
    if (early) return early
    if (refused?.error)
      return { kind: 'refused', cause: 'denied', result: errorResult(refused.text), error: refused.error }
    if (refused) return finished(errorResult(refused.text))
    if (!(await this.#environment.lease.secure(token))) return this.#notBegun
    this.#waits.endHooks()
    await this.#steps.markBegun()
    return undefined
  }

  async #execute(args: unknown, token: number): Promise<BodyEnd> {
    const { tool, release } = this.#started
    const { lease, signal: outer, inLine } = this.#environment
    const signal = this.#timeout ? AbortSignal.any([outer, this.#timeout.signal]) : outer
    const ctx = this.#context(signal, token)
    const execute = async () => {
      await lease.secure(token)
      if (signal.aborted || !lease.covers(token)) throw new NotBegun()
      return this.#waits.enter(() => (tool.execute as (args: unknown, ctx: ToolContext) => unknown)(args, ctx))
    }
    const output = tool.line === undefined ? execute() : inLine(tool.line, execute)
    const first = await Promise.race([output.then((value) => ({ value })), this.#expired])
    if (first !== 'expired') return this.#returned(first.value)
    output.catch(() => undefined)
    this.#timeout?.abort(new Error(`The time of tool ${tool.name} is over.`))
    return finished(note(release, errorResult(modelMessages.timedOut(tool.name, tool.timeoutSeconds ?? 0))))
  }

  /** The end of a body that returned a value. */
  async #returned(value: unknown): Promise<BodyEnd> {
    const { tool, release, agent } = this.#started
    const asking = this.#waits.leave()
    const early = interrupted(this.#record)
    if (early) return early
    const returned = toResult(value)
    if (asking) return { kind: 'finished', result: note(release, returned), error: new QuestionNotAwaited(tool.name) }
    const { result, error } =
      agent.middleware.length > 0 ? await resultAfter(agent, toolHook(this.#started), returned) : { result: returned }
    if (error) return { kind: 'finished', result: note(release, result), error }
    return tool.outputGuardrails.length > 0 ? guardEnd(this.#started, result) : finished(note(release, result))
  }

  /** The end of an attempt that threw. */
  async #failed(error: unknown): Promise<BodyEnd> {
    const { signal } = this.#environment
    if (error instanceof NotBegun) return this.#notBegun
    const early = interrupted(this.#record)
    if (early) return early
    // The end of the run interrupted it. It did not fail, and whether it took effect is unknown.
    if (signal.aborted && isAbort(error, signal)) return { kind: 'left' }
    if (isUnknown(error) && mayAskOutcome(this.#started)) return { kind: 'left' }
    const { tool, runContext, release } = this.#started
    const failure = await failureOf(tool, runContext, error)
    const result = note(release, errorResult(failure.text))
    return failure.error ? { kind: 'finished', result, error: failure.error } : finished(result)
  }

  get #notBegun(): BodyEnd {
    return { kind: 'not-begun', fresh: this.#started.fresh }
  }

  #context(signal: AbortSignal, token: number): ToolContext {
    const { call, release, attempt } = this.#started
    const run = this.#run
    const waits = this.#waits
    const { tenant, threadId, deps } = this.#environment
    return {
      threadId,
      runId: run.id,
      toolCallId: call.id,
      idempotencyKey: idempotencyKey(tenant, call.key, release.digest),
      fencingToken: token,
      attempt,
      context: copyContext(run, frameOf(call.key)),
      deps,
      signal,
      approvedBy: release.by.kind === 'person' || release.by.kind === 'grant' ? release.by : undefined,
      confirm: (prompt, options) => waits.confirm(prompt, options),
      ask: (questions, options) => waits.ask(questions, options),
      hold: (request, options) => waits.hold(request, options),
      step: (name, work) => this.#steps.step(name, work),
    }
  }
}

async function guardEnd(started: StartedCall, result: ToolResult): Promise<BodyEnd> {
  const { tool, release, call } = started
  try {
    const instead = await guardResult(tool.outputGuardrails, { agent: call.agent.id, ...toolHook(started), result })
    return finished(note(release, instead === undefined ? result : errorResult(instead)))
  } catch (error) {
    if (!HoldpointError.isInstance(error)) throw error
    return { kind: 'finished', result: note(release, errorResult(modelMessages.withheld(tool.name))), error }
  }
}

function toolHook({ tool, call, release, runContext }: StartedCall): ToolHook {
  return { runContext, toolName: tool.name, toolCallId: call.id, args: release.args }
}

/** Whether a body reports an unknown outcome. */
function isUnknown(error: unknown): boolean {
  return HoldpointError.isInstance(error) && error.code === 'outcome_unknown'
}

/** Whether the tool's `onUnknownOutcome` may decide once more. Automatic retries are bounded. */
function mayAskOutcome({ tool, attempt }: StartedCall): boolean {
  return tool.onUnknownOutcome !== 'retry' || attempt < MAX_TRIES
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError')
}
