import type { JsonObject, JsonValue } from '../../index.ts'
import { jsonEqual } from '../../protocol/json/json.ts'
import type { HookAnswer, HookCall, HookGate, HookHost, HookVerdict } from './hook.ts'
import { isObject, SILENT } from './hosts/fields.ts'
import { hostOf } from './hosts/find-host.ts'

/** What a hook works with. */
export interface HookOptions {
  /** Opens the gate for the time of `work`. */
  withGate<T>(host: HookHost, work: (gate: HookGate) => Promise<T>): Promise<T>
  /** When the answer must be there, by `now`. */
  readonly until: number
  readonly signal: AbortSignal
  now(): number
}

/** A hook whose input was understood so far, so that failures can be told in the form of its host. */
export interface Known {
  host: HookHost | undefined
  event: string
  /** The hook tells of an end: whatever fails, there is nothing to stop any more. */
  isOver: boolean
}

/** Answers a hook. What it throws must be told with `denial`. */
export async function hookGate(known: Known, stdin: string, options: HookOptions): Promise<HookAnswer> {
  const input = parse(stdin)
  const host = known.host ?? hostOf(input)
  if (!host) throw new Error('The input is of no host that is known: name it with --host')
  known.host = host
  if (typeof input.hook_event_name === 'string') known.event = input.hook_event_name
  const hook = host.read(input)
  if (hook.asks === 'nothing') {
    known.isOver = true
    await options.withGate(host, (gate) => gate.finished(hook.call, hook.end))
    return SILENT
  }
  known.event = hook.event
  const verdict = await options.withGate(host, (gate) =>
    decide(gate, hook.call, { host, event: hook.event, ...options }),
  )
  return host.answer(hook.event, verdict)
}

/** The answer if the hook itself failed. Without a known host, exit code 2 is what most understand. */
export function denial({ host, event, isOver }: Known, problem: string): HookAnswer {
  const reason = `holdpoint gate did not let this call through: ${problem}`
  if (isOver) return { stdout: '', stderr: `${reason}\n`, exitCode: 0 }
  if (!host) return { stdout: '', stderr: `${reason}\n`, exitCode: 2 }
  return { ...host.answer(event, { say: 'deny', reason }), stderr: `${reason}\n` }
}

interface Deciding extends Pick<HookOptions, 'until' | 'signal' | 'now'> {
  readonly host: HookHost
  readonly event: string
}

/**
 * Holds a call until it is decided, and spends its release. Two equal calls at once may find the same release: the one that comes second is a call of its
 * own, and is judged again.
 */
async function decide(gate: HookGate, call: HookCall, deciding: Deciding): Promise<HookVerdict> {
  const { host, event, until, signal, now } = deciding
  for (;;) {
    signal.throwIfAborted()
    let state = await gate.judge(call)
    const isFree = state.status === 'free'
    if (state.status === 'held' || (state.status === 'unknown' && state.request !== undefined))
      state = await gate.wait(call, { timeoutSeconds: Math.max(0, until - now()) / 1000, signal })
    switch (state.status) {
      case 'held':
        return { say: 'deny', reason: notYet(state.request) }
      case 'refused':
        return { say: 'deny', reason: refusal(state) }
      case 'finished':
        break
      case 'unknown':
        if (state.request !== undefined) return { say: 'deny', reason: notKnown(state.request) }
        break
      case 'released': {
        const problem = editProblem(state.args)
        if (problem !== undefined) return { say: 'deny', reason: problem }
        break
      }
      case 'free':
        break
      default:
        return state satisfies never
    }
    const spent = state.status === 'free' || state.status === 'released' ? await gate.spend(call) : state
    if (spent.status === 'released') {
      const problem = editProblem(spent.args)
      if (problem !== undefined) return { say: 'deny', reason: problem }
      if (!jsonEqual(spent.args, call.args)) return { say: 'released', args: spent.args }
      return { say: isFree ? 'free' : 'released' }
    }
    if (now() >= until) return { say: 'deny', reason: 'An equal call was faster. Make the same call again.' }
  }

  function editProblem(args: JsonObject): string | undefined {
    const problem = jsonEqual(args, call.args) ? undefined : host.editProblem(event, call.args, args)
    if (problem === undefined) return undefined
    return `A person changed the arguments, and ${problem}. Make the call with these arguments: ${JSON.stringify(args)}`
  }
}

function notYet(request: string): string {
  return `holdpoint holds this call as request ${request}, and nobody has decided yet. Make the same call again to go on waiting. Do not work around it.`
}

function notKnown(request: string): string {
  return `This call was let through before, and how it ended was never reported. holdpoint asks people as request ${request}, and nobody has answered yet. Make the same call again to go on waiting. Do not work around it.`
}

/** The words of a person in place of a call are no failure, but the call does not run either. */
function refusal({ message, isError }: { message: string; isError: boolean }): string {
  return isError ? message : `A person answered in place of this call: ${message}`
}

function parse(stdin: string): JsonObject {
  let value: JsonValue | undefined
  try {
    value = JSON.parse(stdin) as JsonValue
  } catch {
    throw new Error('the input is not JSON')
  }
  if (!isObject(value)) throw new Error('the input is not a JSON object')
  return value
}
