import { idempotencyKey } from '../core/digest.ts'
import { editedResult, errorResult } from '../core/plan/results.ts'
import type { Call, Release, Run } from '../core/state.ts'
import { messageOf } from '../protocol/errors.ts'
import type { CallKey } from '../protocol/ids.ts'
import type { ToolResult } from '../protocol/message.ts'
import { checkArgs } from './args.ts'
import type { Tool, ToolContext } from './tool.ts'
import { toResult } from './tool-output.ts'
import { words } from './words.ts'

/** A call that was started in the journal, ready to run. */
export interface StartedCall {
  call: Call
  release: Release
  attempt: number
  tool: Tool
}

/** What an attempt came to. Without a result nobody knows: it was cut off by the run's own signal. */
export interface SettledAttempt {
  key: CallKey
  attempt: number
  result: ToolResult | undefined
}

/** What bodies share. */
export interface BodyEnvironment {
  tenant: string
  threadId: string
  deps: unknown
  signal: AbortSignal
}

/** The tool bodies that run in this process for one activation. Runs them; writes nothing. */
export class Bodies {
  readonly #environment: BodyEnvironment
  readonly #running = new Map<CallKey, Promise<void>>()
  #settled: SettledAttempt[] = []
  #wake: (() => void) | undefined

  constructor(environment: BodyEnvironment) {
    this.#environment = environment
  }

  /** The calls whose bodies have not been taken as settled. */
  keys(): ReadonlySet<CallKey> {
    return new Set([...this.#running.keys(), ...this.#settled.map((attempt) => attempt.key)])
  }

  /** Whether bodies are still running. */
  get busy(): boolean {
    return this.#running.size > 0
  }

  /** Runs a body. Its end, whatever it is, shows in `takeSettled`. */
  start(run: Run, started: StartedCall): void {
    const { key } = started.call
    const body = this.#run(run, started).then((result) => {
      this.#running.delete(key)
      this.#settled.push({ key, attempt: started.attempt, result })
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

  async #run(run: Run, started: StartedCall): Promise<ToolResult | undefined> {
    const { tool, release } = started
    const timeout = tool.timeoutSeconds
    const own = new AbortController()
    const signal = AbortSignal.any([this.#environment.signal, own.signal])
    let timer: NodeJS.Timeout | undefined
    try {
      const checked = await checkArgs(tool.parameters, release.args)
      if (!checked.ok) return errorResult(words.invalidArgs(tool.name, checked.problems))
      const output = Promise.resolve(
        (tool.execute as (args: unknown, ctx: ToolContext) => unknown)(
          checked.value,
          this.#context(run, started, signal),
        ),
      )
      const expired = new Promise<'expired'>((resolve) => {
        if (timeout !== undefined) timer = setTimeout(() => resolve('expired'), timeout * 1000)
      })
      const first = await Promise.race([output.then((value) => ({ value })), expired])
      if (first === 'expired') {
        output.catch(() => undefined)
        own.abort(new Error(`The time of tool ${tool.name} is over.`))
        return errorResult(words.timedOut(tool.name, timeout ?? 0))
      }
      return this.#note(release, toResult(first.value))
    } catch (error) {
      // Cut off by the run's own end, not failed: whether it took effect is not known.
      if (this.#environment.signal.aborted && isAbort(error, this.#environment.signal)) return undefined
      return this.#note(release, errorResult(words.failed(messageOf(error))))
    } finally {
      clearTimeout(timer)
    }
  }

  #note(release: Release, result: ToolResult): ToolResult {
    return release.edited ? editedResult(result, release) : result
  }

  #context(run: Run, { call, release, attempt }: StartedCall, signal: AbortSignal): ToolContext {
    const { tenant, threadId, deps } = this.#environment
    return {
      threadId,
      runId: run.id,
      toolCallId: call.id,
      idempotencyKey: idempotencyKey(tenant, call.key, release.digest),
      attempt,
      context: structuredClone(run.context),
      deps,
      signal,
      approvedBy: release.by.kind === 'person' || release.by.kind === 'grant' ? release.by : undefined,
    }
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError')
}
