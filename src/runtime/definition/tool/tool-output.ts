import { errorResult, textResult } from '../../../core/plan/results.ts'
import { cloneJson, type JsonValue, jsonProblem } from '../../../protocol/json/json.ts'
import { content, type Part, type ToolResult, toolResult } from '../../../protocol/message.ts'
import { modelMessages } from '../model-messages.ts'

/** A complete result: see {@link toolOutput}. */
export class ToolOutput {
  readonly result: ToolResult

  constructor(result: ToolResult) {
    this.result = result
  }
}

/** Lets a tool's body return a complete result: the content that the model reads, the data behind it, and whether it failed. */
export function toolOutput(result: ToolResult): ToolOutput {
  return new ToolOutput(result)
}

/**
 * Converts a body's return value to a result: strings and parts stay, binary data becomes a file part, other data becomes JSON. Never throws,
 * since the body has run.
 */
export function toResult(output: unknown): ToolResult {
  if (output === undefined) return textResult('')
  if (output instanceof ToolOutput) return wholeResult(output)
  if (typeof output === 'string') {
    const problem = jsonProblem(output)
    return problem ? errorResult(modelMessages.unstorable(problem)) : textResult(output)
  }
  if (Array.isArray(output) && output.length > 0) {
    const parts = content().safeParse(output)
    if (parts.success && !jsonProblem(parts.data))
      return { content: cloneJson(parts.data as JsonValue) as typeof parts.data }
  }
  const bytes = bytesOf(output)
  if (bytes) return { content: [fileOf(bytes)] }
  const plain = toPlain(output)
  if (!plain.ok) return errorResult(modelMessages.unstorable(plain.problem))
  return { content: JSON.stringify(plain.value), data: plain.value }
}

/** Throws for values that JSON would silently turn into `null`, `{}` or a map of indexes. */
function refuseLossy(this: unknown, key: string, value: unknown): unknown {
  // Read before toJSON: a buffer's toJSON returns an array of numbers.
  const raw = (this as { [key: string]: unknown })[key]
  const where = key === '' ? 'it' : `"${key}"`
  if (typeof raw === 'number' && !Number.isFinite(raw))
    throw new Error(`${where} is ${raw}, which JSON cannot represent`)
  if (bytesOf(raw))
    throw new Error(`${where} is binary: return it by itself, or as a file part with its data in base64`)
  const tag = Object.prototype.toString.call(raw)
  const says = typeof (raw as { toJSON?: unknown } | null | undefined)?.toJSON === 'function'
  if (LOSSY.has(tag) && !says) throw new Error(`${where} is ${tag.slice(8, -1)}, which is not JSON`)
  return value
}

const LOSSY = new Set(
  ['Map', 'Set', 'WeakMap', 'WeakSet', 'Promise', 'RegExp', 'Error'].map((name) => `[object ${name}]`),
)

function fileOf(bytes: Uint8Array): Part {
  return { type: 'file', mediaType: 'application/octet-stream', data: Buffer.from(bytes).toString('base64') }
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value)
  return undefined
}

/** Converts data to JSON, with `toJSON` where it has that. */
function toPlain(output: unknown): { ok: true; value: JsonValue } | { ok: false; problem: string } {
  try {
    const text: unknown = JSON.stringify(output, refuseLossy)
    if (typeof text !== 'string') return { ok: false, problem: `a ${typeof output} is not JSON` }
    const value: unknown = JSON.parse(text)
    const problem = jsonProblem(value)
    return problem ? { ok: false, problem } : { ok: true, value: value as JsonValue }
  } catch (error) {
    return { ok: false, problem: (error as Error).message }
  }
}

function wholeResult({ result }: ToolOutput): ToolResult {
  const plain = toPlain(result)
  if (!plain.ok) return errorResult(modelMessages.unstorable(plain.problem))
  const parsed = toolResult().safeParse(plain.value)
  return parsed.success ? parsed.data : errorResult(modelMessages.unstorable('it is not a result'))
}
