import type { ForeignCall, Gate, GateContext } from '../../gate.ts'
import type { JsonObject } from '../../index.ts'
import { HoldpointError } from '../../index.ts'
import { approvalNeeded } from './approval.ts'
import { asJson } from './gated-call.ts'
import { checkEdited, type SdkModelMessage, type SdkTool, type SdkToolOptions } from './sdk-tool.ts'

/** What a gated tool needs. */
export interface GatedTool {
  gate: Gate
  tool: SdkTool & { execute: NonNullable<SdkTool['execute']> }
  callOf: (input: unknown, toolCallId: string) => Promise<ForeignCall>
}

/**
 * The tool with the gate around its body. Everything else of it stays.
 *
 * The body runs only inside `gate.execute`: once, for a released call. Whatever the SDK believes, a call that nobody has released throws.
 */
export function gatedTool(given: GatedTool): object {
  const { gate, tool, callOf } = given
  const execute = isGenerator(tool.execute)
    ? (input: unknown, options: SdkToolOptions) => streamed(given, input, options)
    : (input: unknown, options: SdkToolOptions) => executed(given, { input, options, tell: () => undefined })
  const needsApproval = (
    input: unknown,
    { toolCallId, messages }: { toolCallId: string; messages?: readonly SdkModelMessage[] },
  ) => approvalNeeded(gate, () => callOf(input, toolCallId), messages)
  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as object, tool, { needsApproval, execute })
}

/** One call of the SDK. `tell` is called with each preliminary output. */
interface Execution {
  input: unknown
  options: SdkToolOptions
  tell: (output: unknown) => void
}

/** Runs the call, or returns what is recorded about it: its result, or a person's answer in its place. */
export async function executed(
  { gate, tool, callOf }: GatedTool,
  { input, options, tell }: Execution,
): Promise<unknown> {
  const call = await callOf(input, options.toolCallId)
  const body = async (args: JsonObject, context: GateContext) => {
    // An unedited call gets what the schema made of it, which may be more than JSON.
    const edited = JSON.stringify(sorted(args)) !== JSON.stringify(sorted(call.args))
    const given = edited ? await checkEdited(tool.inputSchema, args) : input
    return asJson(await lastOf(tool.execute.call(tool, given, withContext(options, context)), tell))
  }
  const { abortSignal: signal } = options
  try {
    return await gate.execute(call, body, signal ? { signal } : {})
  } catch (error) {
    if (!HoldpointError.isInstance(error) || error.code !== 'not_released') throw error
    const state = await gate.state(call)
    if (state.status === 'refused' && !state.isError) return state.message
    throw error
  }
}

/** The same for a tool that gives preliminary outputs. What is yielded last is its result, also if it ran before. */
async function* streamed(given: GatedTool, input: unknown, options: SdkToolOptions): AsyncGenerator<unknown> {
  const outputs: unknown[] = []
  let wake: () => void = () => undefined
  let ended = false
  const tell = (output: unknown) => {
    outputs.push(output)
    wake()
  }
  const running = executed(given, { input, options, tell }).finally(() => {
    ended = true
    wake()
  })
  // Its failure is thrown below, once all that came before was told.
  running.catch(() => undefined)
  while (!ended || outputs.length > 0) {
    if (outputs.length > 0) yield outputs.shift()
    else {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  yield await running
}

/** What a tool returns: a value, or the last of what it yields. */
async function lastOf(returned: unknown, tell: (output: unknown) => void): Promise<unknown> {
  const value = await returned
  if (!isIterable(value)) return value
  let last: unknown
  for await (const output of value) {
    last = output
    tell(output)
  }
  return last
}

function withContext(options: SdkToolOptions, { signal, idempotencyKey, approvedBy }: GateContext): SdkToolOptions {
  const abortSignal = options.abortSignal ? AbortSignal.any([options.abortSignal, signal]) : signal
  const holdpoint = { idempotencyKey, ...(approvedBy ? { approvedBy } : {}) }
  return { ...options, abortSignal, holdpoint } as SdkToolOptions
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function isGenerator(body: (...args: never[]) => unknown): boolean {
  return body.constructor.name === 'AsyncGeneratorFunction'
}

/** The same value with its keys in order, so that equal ones have equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
