import { idempotencyKey } from '../../core/digest.ts'
import { copyContext } from '../../core/open-run.ts'
import { editedResult, errorResult } from '../../core/plan/results.ts'
import type { Call, Release, Run } from '../../core/state.ts'
import type { Clock } from '../../ports/clock.ts'
import { HitlCancelled, HitlTimedOut, HoldpointError, messageOf, QuestionNotAwaited } from '../../protocol/errors.ts'
import type { CallKey } from '../../protocol/ids.ts'
import type { ToolResult } from '../../protocol/message.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import { bodyArgs } from '../definition/args.ts'
import type { AgentDefinition, Tool } from '../definition/definition.ts'
import { guardResult } from '../definition/guardrails.ts'
import { refusalBefore, resultAfter } from '../definition/hooks.ts'
import type { ToolHook } from '../definition/middleware.ts'
import { words } from '../definition/model-messages.ts'
import type { ToolContext } from '../definition/tool-context.ts'
import { toResult } from '../definition/tool-output.ts'
import type { BodyWaits } from './body-waits.ts'
import { Stopwatch } from './stopwatch.ts'

/** How often a tool that may be retried is, when it says each time that its outcome is unknown. */
const MAX_TRIES = 3

/** A call that was started in the journal, ready to run. */
export interface StartedCall {
  call: Call
  release: Release
  attempt: number
  tool: Tool
  /** Who made the call. */
  agent: AgentDefinition
  runContext: RunContext
  /** The lease that its start was written under, if there is one. */
  token: number | undefined
  /** Its start was written by this activation, so that nobody can have begun it before. */
  fresh: boolean
}

/** What an attempt came to. */
export type BodyEnd =
  /** With an error if a guardrail stops the run, or a hook returned something unknown: the effect has happened, and that is recorded first. */
  | { kind: 'finished'; result: ToolResult; error?: HoldpointError }
  /** Its wait was cancelled or timed out, or a hook before it returned something unknown: the engine says so, whatever the body returned. */
  | {
      kind: 'refused'
      cause: 'cancelled' | 'expired' | 'aborted' | 'denied'
      result: ToolResult
      error?: HoldpointError
    }
  /** Cut off by the run's own end, or detached: nothing to record. */
  | { kind: 'left' }
  /** The lease was gone, or the run was stopped, before it began. */
  | { kind: 'not-begun'; fresh: boolean }
  /** The developer used it wrongly. */
  | { kind: 'misused'; error: HoldpointError }

/** An attempt that ended. */
export interface SettledAttempt {
  key: CallKey
  attempt: number
  end: BodyEnd
}

/** The right to start bodies. It is looked at right before each, since hooks, queues and a frozen process can outlive it. */
interface BodyLease {
  covers(token: number | undefined): boolean
  secure(token: number | undefined): Promise<boolean>
}

/** A body that must not begin any more. */
class NotBegun extends Error {}

/** What bodies share. */
export interface BodyEnvironment {
  lease: BodyLease
  tenant: string
  threadId: string
  deps: unknown
  signal: AbortSignal
  /** Whose time the time limits of tools are. */
  clock: Clock | undefined
  waitsOf(started: StartedCall, stopwatch: Stopwatch): BodyWaits
}

/** The tool bodies that run in this process for one activation. Runs them; writes nothing. */
export class Bodies {
  readonly #environment: BodyEnvironment
  readonly #running = new Map<CallKey, Promise<void>>()
  /** What runs now, or last, in each line. */
  readonly #lines = new Map<string, Promise<unknown>>()
  #settled: SettledAttempt[] = []
  #wake: (() => void) | undefined

  constructor(environment: BodyEnvironment) {
    this.#environment = environment
  }

  /** The calls whose bodies have not been taken as settled. */
  keys(): ReadonlySet<CallKey> {
    const keys = new Set(this.#running.keys())
    for (const { key } of this.#settled) keys.add(key)
    return keys
  }

  /** Whether bodies are still running, or their ends not taken. */
  get busy(): boolean {
    return this.#running.size > 0 || this.#settled.length > 0
  }

  /** Runs a body. Its end, whatever it is, shows in `takeSettled`. */
  start(run: Run, started: StartedCall): void {
    const { key } = started.call
    const body = this.#run(run, started).then((end) => {
      this.#running.delete(key)
      this.#settled.push({ key, attempt: started.attempt, end })
      this.#wake?.()
    })
    this.#running.set(key, body)
  }

  /** Waits until something has settled or nothing runs. */
  async settled(): Promise<void> {
    if (this.#settled.length > 0 || this.#running.size === 0) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#wake = undefined
    // Bodies that end in the same turn are recorded in one append.
    await Promise.resolve()
  }

  /** Takes what has settled since the last time. */
  takeSettled(): SettledAttempt[] {
    const taken = this.#settled
    this.#settled = []
    return taken
  }

  /** Takes attempts back that could not be recorded. */
  giveBack(attempts: readonly SettledAttempt[]): void {
    this.#settled.unshift(...attempts)
  }

  async #run(run: Run, started: StartedCall): Promise<BodyEnd> {
    const { tool, release, token } = started
    const { signal: outer, lease } = this.#environment
    const notBegun: BodyEnd = { kind: 'not-begun', fresh: started.fresh }
    if (token === undefined || !(await lease.secure(token))) return notBegun
    // Signals are dear: a body without a time limit shares the run's.
    const own = tool.timeoutSeconds === undefined ? undefined : new AbortController()
    let expire: (() => void) | undefined
    const expired = new Promise<'expired'>((resolve) => {
      expire = () => resolve('expired')
    })
    const stopwatch = new Stopwatch(tool.timeoutSeconds, () => expire?.(), this.#environment.clock)
    const waits = this.#environment.waitsOf(started, stopwatch)
    try {
      // Whoever defines the tool may have changed it since the release was compared with it (G3).
      if (tool.current && tool.fingerprint !== release.definition)
        return finished(errorResult(words.changed(tool.name)))
      const checked = await bodyArgs(tool.parameters, release)
      if (!checked.ok) return finished(errorResult(words.invalidArgs(tool.name, checked.problems)))
      const signal = own ? AbortSignal.any([outer, own.signal]) : outer
      const ctx = this.#context(run, started, { waits, signal, token })
      const { agent } = started
      const hook: ToolHook | undefined = agent.middleware.length > 0 ? toolHook(started) : undefined
      if (hook) {
        const refused = await refusalBefore(agent, {
          ...hook,
          hold: (request, options) => waits.holdBefore(request, options),
        })
        const early = interrupted(waits)
        if (early) return early
        if (refused?.error)
          return { kind: 'refused', cause: 'denied', result: errorResult(refused.text), error: refused.error }
        if (refused) return finished(errorResult(refused.text))
        if (!(await lease.secure(token))) return notBegun
        await waits.enterBody()
      }
      const execute = async () => {
        await lease.secure(token)
        // Nothing may come between this look and the body.
        if (signal.aborted || !lease.covers(token)) throw new NotBegun()
        return waits.enter(() => (tool.execute as (args: unknown, ctx: ToolContext) => unknown)(checked.value, ctx))
      }
      const output = tool.line === undefined ? execute() : this.#inLine(tool.line, execute)
      const first = await Promise.race([output.then((value) => ({ value })), expired])
      if (first === 'expired') {
        output.catch(() => undefined)
        own?.abort(new Error(`The time of tool ${tool.name} is over.`))
        return finished(note(release, errorResult(words.timedOut(tool.name, tool.timeoutSeconds ?? 0))))
      }
      const asking = waits.leave()
      const early = interrupted(waits)
      if (early) return early
      const returned = toResult(first.value)
      if (asking) return { kind: 'finished', result: note(release, returned), error: new QuestionNotAwaited(tool.name) }
      const { result, error } = hook ? await resultAfter(agent, hook, returned) : { result: returned }
      if (error) return { kind: 'finished', result: note(release, result), error }
      return tool.outputGuardrails.length > 0 ? await guardEnd(started, result) : finished(note(release, result))
    } catch (error) {
      if (error instanceof NotBegun) return notBegun
      const early = interrupted(waits)
      if (early) return early
      // Cut off by the run's own end, not failed: whether it took effect is not known.
      if (outer.aborted && isAbort(error, outer)) return { kind: 'left' }
      if (isUnknown(error) && mayAskOutcome(started)) return { kind: 'left' }
      return finished(note(release, errorResult(words.failed(messageOf(error)))))
    } finally {
      waits.leave()
      stopwatch.stop()
    }
  }

  /** Work of one line does not overlap, also with work that ran out of time and has not ended. */
  #inLine<T>(line: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#lines.get(line) ?? Promise.resolve()).then(work)
    this.#lines.set(
      line,
      mine.catch(() => undefined),
    )
    return mine
  }

  #context(
    run: Run,
    { call, release, attempt }: StartedCall,
    { waits, signal, token }: { waits: BodyWaits; signal: AbortSignal; token: number },
  ): ToolContext {
    const { tenant, threadId, deps } = this.#environment
    return {
      threadId,
      runId: run.id,
      toolCallId: call.id,
      idempotencyKey: idempotencyKey(tenant, call.key, release.digest),
      fencingToken: token,
      attempt,
      context: copyContext(run),
      deps,
      signal,
      approvedBy: release.by.kind === 'person' || release.by.kind === 'grant' ? release.by : undefined,
      confirm: (prompt, options) => waits.confirm(prompt, options),
      ask: (questions, options) => waits.ask(questions, options),
      hold: (request, options) => waits.hold(request, options),
      step: (name, work) => waits.step(name, work),
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
    return { kind: 'finished', result: note(release, errorResult(words.withheld(tool.name))), error }
  }
}

function toolHook({ tool, call, release, runContext }: StartedCall): ToolHook {
  return { runContext, toolName: tool.name, toolCallId: call.id, args: release.args }
}

/** How a body's own waits ended it, if they did. */
function interrupted({ ended, misuse, gaveUp }: BodyWaits): BodyEnd | undefined {
  if (misuse) return { kind: 'misused', error: misuse }
  if (ended instanceof HitlCancelled)
    return { kind: 'refused', cause: 'cancelled', result: errorResult(words.waitCancelled(ended.reason)) }
  if (ended instanceof HitlTimedOut)
    return { kind: 'refused', cause: 'expired', result: errorResult(words.waitExpired) }
  if (gaveUp) return { kind: 'refused', cause: 'aborted', result: errorResult(words.waitCancelled('its signal fired')) }
  return ended ? { kind: 'left' } : undefined
}

function finished(result: ToolResult): BodyEnd {
  return { kind: 'finished', result }
}

function note(release: Release, result: ToolResult): ToolResult {
  return release.edited ? editedResult(result, release) : result
}

/** Whether a body says that it does not know what it did. */
function isUnknown(error: unknown): boolean {
  return HoldpointError.isInstance(error) && error.code === 'outcome_unknown'
}

/** Whether what the tool says of unknown outcomes may decide once more. Trying again by itself comes to an end. */
function mayAskOutcome({ tool, attempt }: StartedCall): boolean {
  return tool.onUnknownOutcome !== 'retry' || attempt < MAX_TRIES
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError')
}
