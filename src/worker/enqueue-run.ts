import type { ThreadState } from '../core/state.ts'
import type { Store } from '../ports/store.ts'
import {
  checkToolExecution,
  requireStore,
  type ToolExecution,
  toolExecutionOf,
} from '../protocol/checks/check-options.ts'
import { requireOptions } from '../protocol/checks/known-options.ts'
import type { Entry, EntryOf } from '../protocol/entries/entry.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import { AgentMismatch, InputInvalid } from '../protocol/errors/errors.ts'
import { parseThreadId } from '../protocol/ids.ts'
import { isWellFormed } from '../protocol/json/json.ts'
import type { InputMessage } from '../protocol/message.ts'
import type { ContextInput } from '../protocol/run-context.ts'
import { uuidSource } from '../protocol/uuid.ts'
import { Journal } from '../runtime/journal/journal.ts'
import { checkEntryOptions, type EntryOptions, type NamedAgent, openedRun, planJoin } from '../runtime/run/enter-run.ts'
import { type Input, toMessages } from '../runtime/run/input.ts'
import { loadOtel } from '../tracing/otel.ts'

/** A run that workers shall drive. */
export interface EnqueuedRun {
  /** The agent, or its id: the process that enqueues needs no code of it. `name` defaults to the id. */
  agent: string | { readonly id: string; readonly name?: string; readonly version?: string | undefined }
  input: Input
  /** The conversation. A new one unless told. */
  threadId?: string
  /** The run's id. If the thread has had this run, nothing is added: so the same call can be repeated after a failure. Default: a new one. */
  runId?: string
  /** The application's own data: plain JSON, stored with the run. */
  context?: ContextInput
  /** As in `run`. */
  maxTurns?: number | null
  maxRejections?: EntryOptions['maxRejections']
  toolExecution?: ToolExecution
  whilePaused?: 'queue' | 'supersede'
}

const WHAT = 'enqueueRun()'
const KNOWN = [
  ...['agent', 'input', 'threadId', 'runId', 'context', 'maxTurns', 'maxRejections', 'toolExecution', 'whilePaused'],
]
const LONGEST_NAME = 200

/**
 * Opens a run without driving it: a worker that has its agent takes it up at once. Input for a thread whose run has not ended joins that run, as in
 * `run`. Once it resolves, the run is stored.
 */
export async function enqueueRun(store: Store, given: EnqueuedRun): Promise<{ threadId: string; runId: string }> {
  requireStore(WHAT, store)
  requireOptions(WHAT, given, KNOWN)
  const { toolExecution = {}, runId, threadId, context, maxTurns, maxRejections, whilePaused } = given
  checkToolExecution(toolExecution)
  const entry = present({ context, maxTurns, maxRejections, whilePaused })
  checkEntryOptions(entry)
  if (runId !== undefined && !isName(runId)) throw new InputInvalid(`runId of ${WHAT} must be a non-empty string.`)
  const newId = uuidSource()
  const agent = toAgent(given.agent)
  const input = toMessages(given.input)
  const thread = parseThreadId(threadId ?? newId())
  // Whether there was such a run is in its entries.
  const journal = await (runId === undefined ? Journal.openLean(store, thread) : Journal.open(store, thread))
  const span = loadOtel()?.start('holdpoint.enqueue', {
    attributes: { 'holdpoint.thread_id': journal.state.threadId },
  })
  const options: EntryOptions = { ...entry, ...toolExecutionOf(toolExecution), trace: span?.link }
  const opened = openedRun({ id: runId ?? newId(), agent, input }, options)
  await journal.write((state) => {
    if (runId !== undefined && hasRun(journal, runId)) return undefined
    const wake = { op: 'by', inMs: 0, tell: true } as const
    return { entries: enter(state, { opened, agent, input }, options), wake }
  })
  span?.end()
  const run = runId ?? journal.state.run?.id ?? opened.run
  return { threadId: journal.state.threadId, runId: run }
}

function enter(
  state: ThreadState,
  { opened, agent, input }: { opened: EntryOf<'run.opened'>; agent: NamedAgent; input: InputMessage[] },
  options: EntryOptions,
): Entry[] {
  const { run } = state
  if (run?.status !== 'open') return [opened]
  if (run.agent.id !== agent.id) throw new AgentMismatch(run.agent.id, agent.id)
  return planJoin({ state, run }, input, options)
}

function hasRun({ bodies, state: { threadId } }: Journal, id: string): boolean {
  return bodies.some(({ body }, index) => {
    if (!body.includes('run.opened')) return false
    const entry = parseBody(body, { threadId, seq: index + 1 })
    return entry.type === 'run.opened' && entry.run === id
  })
}

function toAgent(given: EnqueuedRun['agent']): NamedAgent {
  const { id, name = id, version } = typeof given === 'string' ? { id: given } : (given ?? {})
  if (!isName(id) || !isName(name) || (version !== undefined && !isName(version)))
    throw new InputInvalid(`${WHAT} needs an agent: its id, or { id, name, version } of non-empty strings.`)
  return { id, name, version }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME && isWellFormed(value)
}

function present<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never
}
