import { expect } from 'vitest'
import { z } from 'zod'
import type { Append, Store } from '../../src/ports/store.ts'
import type { Entry } from '../../src/protocol/entry.ts'
import type { ErrorCode, HoldpointError } from '../../src/protocol/errors.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { Content, Message } from '../../src/protocol/message.ts'
import { parseBody } from '../../src/protocol/versions.ts'
import { Agent, type AgentOptions } from '../../src/runtime/agent/agent.ts'
import type { NeedsApproval, UnknownOutcomePolicy } from '../../src/runtime/definition/approval.ts'
import type { Tool } from '../../src/runtime/definition/definition.ts'
import { tool } from '../../src/runtime/definition/tool.ts'
import type { ToolContext } from '../../src/runtime/definition/tool-context.ts'
import type { RunResult } from '../../src/runtime/run/result.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { type ScriptedModel, type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts'

/** What a tool's body was given, one for each time it ran. */
export interface BodyRun {
  args: unknown
  ctx: ToolContext
}

export interface RecordingTool extends Tool {
  readonly runs: BodyRun[]
}

interface RecordingOptions {
  needsApproval?: NeedsApproval<never>
  parameters?: z.ZodObject
  description?: string
  parametersJsonSchema?: JsonObject
  execute?: (args: never, ctx: ToolContext) => unknown
  idempotent?: boolean
  resumable?: boolean
  onUnknownOutcome?: UnknownOutcomePolicy
  timeoutSeconds?: number
}

/** A tool that notes every time its body runs. Gated unless told; its result is `<name> done`. */
export function gated(name: string, options: RecordingOptions = {}): RecordingTool {
  const runs: BodyRun[] = []
  const { execute, parameters = z.looseObject({}), description = `does ${name}`, ...rest } = options
  const made = tool({
    name,
    description,
    parameters,
    needsApproval: true,
    ...(rest as object),
    execute(args, ctx) {
      runs.push({ args, ctx })
      return execute ? execute(args as never, ctx) : `${name} done`
    },
  })
  return { ...made, runs }
}

/** The same, without a gate. */
export function free(name: string, options: RecordingOptions = {}): RecordingTool {
  return gated(name, { needsApproval: false, ...options })
}

/** A step in which the model makes these calls. */
export function calls(...made: [id: string, name: string, args?: JsonObject][]): ScriptStep {
  return { toolCalls: made.map(([id, name, args = {}]) => ({ id, name, args })) }
}

/** An agent that plays a script. */
export function scripted(
  script: readonly ScriptStep[],
  tools: readonly Tool[] = [],
  options: Partial<AgentOptions> = {},
): { agent: Agent; model: ScriptedModel } {
  const model = scriptedModel(script)
  return { model, agent: new Agent({ name: 'clerk', model, tools, ...options }) }
}

/** Fails unless the work is refused with this error; resolves to the error. */
export async function refused<T extends HoldpointError>(
  work: Promise<unknown>,
  kind: abstract new (...args: never[]) => T,
  code: ErrorCode,
): Promise<T> {
  const outcome = await work.then(
    () => 'fulfilled',
    (error: unknown) => error,
  )
  return isError(outcome, kind, code)
}

/** Fails unless the run failed with this error; resolves to the error. */
export function failedWith<T extends HoldpointError>(
  result: RunResult,
  kind: abstract new (...args: never[]) => T,
  code: ErrorCode,
): T {
  expect(result.status).toBe('failed')
  return isError(result.error, kind, code)
}

function isError<T extends HoldpointError>(
  value: unknown,
  kind: abstract new (...args: never[]) => T,
  code: ErrorCode,
): T {
  expect(value).toBeInstanceOf(kind)
  const error = value as T
  expect({ code: error.code, name: error.name }).toEqual({ code, name: kind.name })
  return error
}

/** The one interruption of a result. */
export function only(result: RunResult) {
  expect(result.status).toBe('interrupted')
  expect(result.interruptions).toHaveLength(1)
  return result.interruptions[0]!
}

/** The tool results that a model was sent, as `[call id, content]`, in order. */
export function resultsIn(messages: readonly Message[] | undefined): [string, Content][] {
  return (messages ?? []).flatMap((message): [string, Content][] =>
    message.role === 'tool' ? [[message.toolCallId, message.content]] : [],
  )
}

/** The one tool message of a request. */
export function toolMessage(messages: readonly Message[] | undefined) {
  const found = (messages ?? []).filter((message) => message.role === 'tool')
  expect(found).toHaveLength(1)
  return found[0]!
}

/** All entries of a thread. */
export async function entriesOf(store: Store, threadId: string): Promise<Entry[]> {
  const { entries } = await store.read(threadId)
  return entries.map(({ body, seq }) => parseBody(body, { threadId, seq }))
}

/** The types of a thread's entries. */
export async function typesOf(store: Store, threadId: string): Promise<string[]> {
  return (await entriesOf(store, threadId)).map((entry) => entry.type)
}

/** A memory store whose time is set by hand. */
export function clockedStore(start = 1_700_000_000_000) {
  let now = start
  const store = memoryStore({ clock: { now: () => now } })
  return {
    store,
    advance(ms: number) {
      now += ms
    },
  }
}

/** The same store, with something done before each append. */
export function intercept(store: Store, before: (append: Append) => Promise<void> | void): Store {
  return {
    ...store,
    async append(append) {
      await before(append)
      return store.append(append)
    },
  }
}

/** Whether an append brings an entry of this type. */
export function brings(append: Append, type: Entry['type']): boolean {
  return append.entries.some((body) => (JSON.parse(body) as Entry).type === type)
}

/** A promise and what settles it. */
export function gate(): { passed: Promise<void>; open: () => void } {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

/** Waits until something holds, for a second at most. */
export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(holds()).toBe(true)
}

/** A text with the keys of every object in another order. */
export function shuffleKeys(text: string): string {
  return JSON.stringify(reverseKeys(JSON.parse(text)), null, 2)
}

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reverseKeys(item)]),
  )
}
