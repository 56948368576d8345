import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  type AgentEvent,
  type Channel,
  CheckpointedChannel,
  type ErrorCode,
  type HitlRequest,
  type HoldpointError,
  InMemoryChannel,
  type JsonObject,
  type Message,
  memoryStore,
  type Store,
  type Thread,
  type ThreadOptions,
  type ThreadResult,
  type Tool,
  type ToolContext,
  tool,
} from '../../src/index.ts'
import type { Clock } from '../../src/ports.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing.ts'

/** A tool that notes the arguments of every run. Free unless told; its result is `<name> done`. */
export interface NotingTool extends Tool {
  readonly runs: JsonObject[]
}

export interface NotingOptions {
  needsApproval?: boolean
  resumable?: boolean
  idempotent?: boolean
  onUnknownOutcome?: 'ask' | 'retry' | 'fail'
  timeoutSeconds?: number
  parameters?: z.ZodObject
}

export function noting(
  name: string,
  execute: (args: JsonObject, ctx: ToolContext) => unknown = () => `${name} done`,
  options: NotingOptions = {},
): NotingTool {
  const runs: JsonObject[] = []
  const { parameters = z.looseObject({}), ...rest } = options
  const made = tool({
    name,
    description: `does ${name}`,
    parameters,
    ...rest,
    execute(args, ctx) {
      runs.push(args as JsonObject)
      return execute(args as JsonObject, ctx)
    },
  })
  return { ...made, runs }
}

/** The same, with a gate. */
export function gated(name: string, execute?: Parameters<typeof noting>[1], options: NotingOptions = {}): NotingTool {
  return noting(name, execute, { needsApproval: true, ...options })
}

/** A step in which the model makes these calls. */
export function calls(...made: [id: string, name: string, args?: JsonObject][]): ScriptStep {
  return { toolCalls: made.map(([id, name, args = {}]) => ({ id, name, args })) }
}

/** An agent that plays a script, its model, and a way to make threads of it that share a store. */
export function scene(
  script: readonly ScriptStep[],
  tools: readonly Tool[],
  options: { store?: Store; threadId?: string } & Omit<ThreadOptions, 'store' | 'channel'> = {},
) {
  const { store = memoryStore(), threadId = 't', ...rest } = options
  const model = scriptedModel(script)
  const agent = new Agent({ name: 'clerk', model, tools })
  return {
    agent,
    model,
    store,
    /** As a fresh process would: a thread and a channel of its own on the shared store. */
    open(
      kind: ChannelKind = 'durable',
      more: { defaultTimeoutSeconds?: number; allowInsideCustomTool?: boolean } = {},
    ) {
      const channel = newChannel(kind, { store, threadId, ...more })
      const thread = agent.thread(threadId, { store, channel, ...rest })
      return { thread, channel, events: collect(thread) }
    },
  }
}

export type ChannelKind = 'memory' | 'durable'

export const channelKinds: ChannelKind[] = ['memory', 'durable']

export function newChannel(
  kind: ChannelKind,
  options: { store: Store; threadId: string; defaultTimeoutSeconds?: number; allowInsideCustomTool?: boolean },
): InMemoryChannel | CheckpointedChannel {
  const { store: _s, allowInsideCustomTool: _a, ...rest } = options
  return kind === 'memory' ? new InMemoryChannel(rest) : new CheckpointedChannel(options)
}

/** Everything that a thread tells from now on. */
export function collect(thread: Thread): AgentEvent[] {
  const events: AgentEvent[] = []
  thread.subscribe((event) => events.push(event))
  return events
}

export function typesOf(events: readonly AgentEvent[]): string[] {
  return events.map(({ type }) => type)
}

export type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>

export function eventsOf<T extends AgentEvent['type']>(events: readonly AgentEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type)
}

/** What the channel shows, once it shows something that fits. */
export async function shown(channel: Channel, fits: (request: HitlRequest) => boolean = () => true) {
  let found: HitlRequest | undefined
  await until(() => {
    found = channel.pending && fits(channel.pending) ? channel.pending : undefined
    return found !== undefined
  })
  return found!
}

/** What the channel shows under this question id, once it does. */
export function shownAs(channel: Channel, questionId: string): Promise<HitlRequest> {
  return shown(channel, (request) => request.questionId === questionId)
}

/** Waits until something holds, for three seconds at most. */
export async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < 3_000 && !holds(); waited += 3) await pause(3)
  expect(holds()).toBe(true)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

/** A promise and what settles it. */
export function latch(): { passed: Promise<void>; open: () => void } {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
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
  expect(outcome).toBeInstanceOf(kind)
  const error = outcome as T
  expect({ code: error.code, name: error.name }).toEqual({ code, name: kind.name })
  return error
}

/** Fails unless a result failed with this error. */
export function failedWith<T extends HoldpointError>(
  result: ThreadResult,
  kind: abstract new (...args: never[]) => T,
  code: ErrorCode,
): T {
  expect(result.status).toBe('failed')
  expect(result).not.toHaveProperty('finalOutput')
  const { error } = result as Extract<ThreadResult, { status: 'failed' }>
  expect(error).toBeInstanceOf(kind)
  expect(error.code).toBe(code)
  return error as T
}

/** The texts of tool results, as `[call id, text]`. */
export function resultsIn(messages: readonly Message[] | undefined): [string, unknown][] {
  return (messages ?? []).flatMap((message): [string, unknown][] =>
    message.role === 'tool' ? [[message.toolCallId, message.content]] : [],
  )
}

/** Fails unless every call of the history has exactly one result, in call order, right after its message; the last may wait. */
export function assertValidHistory(messages: readonly Message[], lastMayWait = false): void {
  messages.forEach((message, at) => {
    if (message.role !== 'assistant' || !message.toolCalls?.length) return
    const made = message.toolCalls.map(({ id }) => id)
    const answered = messages.slice(at + 1, at + 1 + made.length).map((next) => next.role === 'tool' && next.toolCallId)
    if (lastMayWait && at === messages.length - 1) return
    expect(answered).toEqual(made)
  })
  const results = messages.filter(({ role }) => role === 'tool').length
  const made = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  const last = messages.at(-1)
  const waiting = lastMayWait && last?.role === 'assistant' ? (last.toolCalls?.length ?? 0) : 0
  expect(results).toBe(made.length - waiting)
}

/** The statuses of all requests of a store, oldest first. */
export async function requestsOf(store: Store): Promise<[string, string][]> {
  const { requests } = await store.findRequests({ limit: 100 })
  return requests
    .map((request): [string, string] => {
      const opened = JSON.parse(request.opened.body) as { questionId: string }
      return [opened.questionId, request.status]
    })
    .reverse()
}

/** A store of each kind in turn. */
export async function withStore<T>(
  kind: 'memory' | 'sqlite',
  work: (store: Store) => Promise<T>,
  options: { clock?: Clock } = {},
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-threads-'))
  const store = kind === 'memory' ? memoryStore(options) : sqliteStore({ path: join(dir, 'store.db'), ...options })
  try {
    return await work(store)
  } finally {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
}
