import { foldThread } from '../../desk/record/fold-thread.ts'
import type { Store } from '../../ports/store.ts'
import { checkToolExecution } from '../../protocol/checks/check-options.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { readStateText } from '../../protocol/entries/state-text.ts'
import { AgentInvalid, AgentVersionMissing, InputInvalid, ThreadNotFound } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import type { ContextInput, ContextOf, RunContext } from '../../protocol/run-context.ts'
import { AgentDefinition, type ToolErrorFormatter } from '../definition/definition.ts'
import type { Conversation, Input } from './input.ts'
import type { RunResult } from './result.ts'
import { type RunOptions, run } from './run.ts'
import { RunState } from './run-state.ts'
import type { LoadOptions, TextOptions } from './state-options.ts'
import type { StreamedRunResult } from './streamed-result.ts'

/**
 * One version of the application's agent, built with another installed copy of holdpoint (an npm alias, say): that copy restores and runs it.
 */
export interface AgentVersion {
  /** An agent that was built with that copy. */
  readonly agent: object
  /** That copy: `import * as old from 'holdpoint-0'`. */
  readonly holdpoint: {
    run(agent: never, input: never, options?: never): Promise<unknown>
    RunState: {
      fromString(agent: never, text: string, options?: never): Promise<unknown>
      fromStringWithContext(agent: never, text: string, context: never, options?: never): Promise<unknown>
      load(agent: never, options: never): Promise<unknown>
    }
  }
}

/** Options of a runner. */
export interface RunnerOptions {
  toolExecution?: NonNullable<RunOptions['toolExecution']>
  toolErrorFormatter?: ToolErrorFormatter
  /** The versions of the agent that paused runs may have been started on, by `agent.version`. */
  agents?: Readonly<Record<string, AgentDefinition | AgentVersion>>
}

/** Runs agents with options in common, and takes paused runs up again on the version that they were started on. */
export class Runner {
  readonly #options: Pick<RunnerOptions, 'toolExecution' | 'toolErrorFormatter'>
  readonly #versions: ReadonlyMap<string, AgentDefinition | AgentVersion>
  /** States that another copy of holdpoint restored. */
  readonly #foreign = new WeakMap<object, AgentVersion>()

  constructor(options: RunnerOptions = {}) {
    requireKnown('new Runner()', options, ['toolExecution', 'toolErrorFormatter', 'agents'])
    checkToolExecution(options.toolExecution)
    const { agents = {}, ...rest } = options
    this.#options = rest
    this.#versions = new Map(Object.entries(agents))
    for (const [version, one] of this.#versions) checkVersion(version, one)
  }

  /** The same as `run`, with this runner's options. A state goes on with the version of the agent that it was started on. */
  run<TContext, TOutput>(
    agent: AgentDefinition<TContext, TOutput>,
    input: Input | Conversation | RunState,
    options: RunOptions<ContextOf<TContext>> & { stream: true },
  ): Promise<StreamedRunResult<TOutput>>
  run<TContext, TOutput>(
    agent: AgentDefinition<TContext, TOutput>,
    input: Input | Conversation | RunState,
    options?: RunOptions<ContextOf<TContext>> & { stream?: false },
  ): Promise<RunResult<TOutput>>
  run<TContext, TOutput>(
    agent: AgentDefinition<TContext, TOutput>,
    input: Input | Conversation | RunState,
    options: RunOptions<ContextOf<TContext>> & { stream?: boolean },
  ): Promise<RunResult<TOutput> | StreamedRunResult<TOutput>>
  async run(
    agent: AgentDefinition,
    input: Input | Conversation | RunState,
    options: RunOptions & { stream?: boolean } = {},
  ): Promise<RunResult<unknown> | StreamedRunResult<unknown>> {
    const all = this.#optionsFor(input, options)
    if (this.#isForeign(input)) {
      const { agent: old, holdpoint } = this.#foreign.get(input as object) as AgentVersion
      return (await holdpoint.run(old as never, input as never, all as never)) as RunResult | StreamedRunResult
    }
    if (!(input instanceof RunState)) return run(agent, input, all)
    const chosen = this.#find(input.agentVersion) ?? agent
    if (!(chosen instanceof AgentDefinition))
      throw new InputInvalid(
        `Restore a run of version "${input.agentVersion}" with runner.fromString() or runner.load().`,
      )
    return run(chosen, input.as(chosen), all)
  }

  /** Restores a state from text with the version of the agent that it was started on. */
  async fromString(text: string, options: TextOptions = {}): Promise<RunState> {
    const chosen = this.#require(versionIn(text, options))
    if (chosen instanceof AgentDefinition) return RunState.fromString(chosen, text, options)
    const state = await chosen.holdpoint.RunState.fromString(chosen.agent as never, text, options as never)
    return this.#remember(state, chosen)
  }

  /** The same, with other data of the application from here on: as `RunState.fromStringWithContext`. */
  async fromStringWithContext(
    text: string,
    context: RunContext | ContextInput,
    options: TextOptions & { contextStrategy?: 'merge' | 'replace' } = {},
  ): Promise<RunState> {
    const chosen = this.#require(versionIn(text, options))
    if (chosen instanceof AgentDefinition) return RunState.fromStringWithContext(chosen, text, context, options)
    const { RunState: Theirs } = chosen.holdpoint
    const state = await Theirs.fromStringWithContext(chosen.agent as never, text, context as never, options as never)
    return this.#remember(state, chosen)
  }

  /** Loads a thread from its store with the version of the agent that its run was started on. */
  async load(place: LoadOptions): Promise<RunState> {
    const threadId = parseThreadId(place.threadId)
    const chosen = this.#require(await versionOf(place.store, threadId))
    if (chosen instanceof AgentDefinition) return RunState.load(chosen, place)
    const state = await chosen.holdpoint.RunState.load(chosen.agent as never, place as never)
    return this.#remember(state, chosen)
  }

  /** The options of a run: the caller's, else this runner's. A resumed run keeps its own setting for how calls are run. */
  #optionsFor(input: unknown, options: RunOptions): RunOptions {
    const { toolErrorFormatter, toolExecution } = this.#options
    const isNew = !(input instanceof RunState) && !this.#isForeign(input)
    return {
      ...(toolErrorFormatter ? { toolErrorFormatter } : {}),
      ...options,
      ...(isNew && toolExecution ? { toolExecution: { ...toolExecution, ...options.toolExecution } } : {}),
    }
  }

  #isForeign(input: unknown): boolean {
    return typeof input === 'object' && input !== null && this.#foreign.has(input)
  }

  #remember(state: unknown, version: AgentVersion): RunState {
    this.#foreign.set(state as object, version)
    return state as RunState
  }

  #find(version: string | undefined): AgentDefinition | AgentVersion | undefined {
    if (this.#versions.size === 0 || version === undefined) return undefined
    return this.#require(version)
  }

  #require(version: string | undefined): AgentDefinition | AgentVersion {
    const known = [...this.#versions.keys()]
    const found = version === undefined ? undefined : this.#versions.get(version)
    if (!found) throw new AgentVersionMissing(version, known)
    return found
  }
}

/** The version of the agent that the latest run of a state text is on: an operator may have moved it. */
function versionIn(text: string, { signingKeys }: TextOptions): string | undefined {
  if (typeof text !== 'string') throw new InputInvalid('A state is restored from a string.')
  const { entries } = readStateText(text, signingKeys)
  const last = entries.findLast(({ entry: { type } }) => type === 'run.opened' || type === 'run.moved')?.entry
  return last?.type === 'run.opened' || last?.type === 'run.moved' ? last.agent.version : undefined
}

/** The version of the agent that a thread's latest run is on. */
async function versionOf(store: Store, threadId: string): Promise<string | undefined> {
  const { state } = await foldThread(store, threadId)
  if (!state.run) throw new ThreadNotFound(threadId)
  return state.run.agent.version
}

function checkVersion(version: string, one: AgentDefinition | AgentVersion): void {
  if (one instanceof AgentDefinition) {
    if (one.version !== version)
      throw new AgentInvalid(
        `Runner: agents["${version}"] is an agent of version "${one.version ?? 'none'}": its version must be its key.`,
      )
    return
  }
  if (typeof one?.holdpoint?.run !== 'function' || typeof one.holdpoint.RunState?.fromString !== 'function')
    throw new AgentInvalid(
      `Runner: agents["${version}"] must be an agent, or { agent, holdpoint } with the copy of holdpoint that built it.`,
    )
}
