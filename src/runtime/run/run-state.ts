import { planAgentChange } from '../../core/plan/frames.ts'
import { toInterruption } from '../../core/request-view.ts'
import { openRequests, type Run } from '../../core/state.ts'
import type { RequestRef } from '../../desk/find.ts'
import type { Store } from '../../ports/store.ts'
import { requireStore } from '../../protocol/checks/check-options.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { DecisionType } from '../../protocol/decision.ts'
import type { Usage } from '../../protocol/entries/entry.ts'
import { type Tracing, writeStateText } from '../../protocol/entries/state-text.ts'
import { DecisionPending, InputInvalid, ThreadNotFound } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import { cloneMessages, type Message, textOf } from '../../protocol/message.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { ContextInput, RunContext } from '../../protocol/run-context.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import { uuidSource } from '../../protocol/uuid.ts'
import type { AnswerBatch, NamedAnswer } from '../answers/answers.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { outputTypeOf, readOutput } from '../definition/output-type.ts'
import { requireAgents } from '../frames/frame-agents.ts'
import { Journal } from '../journal/journal.ts'
import type { UnsignedText } from '../restore/adopt.ts'
import { replaceContext, toGivenContext } from '../restore/replace-context.ts'
import { restore } from '../restore/restore.ts'
import { type DecisionPlace, Decisions } from './decisions.ts'
import { type Input, toMessages } from './input.ts'
import type { DecisionOptions, RestoreOptions, Standing, TextOptions } from './state-options.ts'

/**
 * A run as it stands: what it waits for, and where decisions are made on it. With a store, decisions are stored when their promise is
 * fulfilled; without one they live in this object and in the text that it is turned into. A text is a copy: it cannot stop somebody from
 * restoring it twice. A store can.
 */
export class RunState {
  /** @internal */
  readonly agent: AgentDefinition
  #journal: Journal
  readonly #newId: IdSource
  #decisions = new Decisions()
  /** How much of it an unsigned text says, and whether the caller stands for that. */
  #unsigned: UnsignedText | undefined
  #tracing: Tracing | undefined

  private constructor(agent: AgentDefinition, journal: Journal, newId: IdSource = uuidSource()) {
    this.agent = agent
    this.#journal = journal
    this.#newId = newId
  }

  /** @internal For `run`. */
  static of(agent: AgentDefinition, journal: Journal, newId: IdSource): RunState {
    return new RunState(agent, journal, newId)
  }

  /** Restores a state from text, in any process that has the agent's code. Layout and order of keys do not matter. */
  static async fromString(agent: AgentDefinition, text: string, options: RestoreOptions = {}): Promise<RunState> {
    // Misspelt keys would be no keys, and any text would be taken.
    requireKnown('RunState.fromString()', options, ['signingKeys', 'trust'])
    return RunState.#restored(agent, restore(agent, text, options), options)
  }

  /**
   * The same, with other data of the application from here on: a `RunContext`, or a plain value that is its `context`. It becomes a fact of
   * the run, so later texts have it. `'merge'` keeps the stored decisions, and the stored `toolInput` unless one is given. `'replace'` takes what
   * is given as it is: decisions that were not acted on are withdrawn, standing ones too, and their calls are asked again.
   */
  static async fromStringWithContext(
    agent: AgentDefinition,
    text: string,
    context: RunContext | ContextInput,
    options: RestoreOptions & { contextStrategy?: 'merge' | 'replace' } = {},
  ): Promise<RunState> {
    const { contextStrategy, ...rest } = options
    requireKnown('RunState.fromStringWithContext()', rest, ['signingKeys', 'trust'])
    const given = toGivenContext(context, contextStrategy)
    const restored = restore(agent, text, rest)
    const state = RunState.#restored(agent, restored, rest)
    await replaceContext(restored.journal, given)
    return state
  }

  static #restored(
    agent: AgentDefinition,
    { journal, tracing }: ReturnType<typeof restore>,
    { signingKeys, trust = false }: RestoreOptions,
  ): RunState {
    if (typeof trust !== 'boolean') throw new InputInvalid('trust must be true or false.')
    const state = new RunState(agent, journal)
    state.#tracing = tracing
    if (!signingKeys) state.#unsigned = { entries: journal.bodies.length, trust }
    return state
  }

  /** Loads a thread from its store, in any process that has the agent's code. */
  static async load(agent: AgentDefinition, options: { threadId: string; store: Store }): Promise<RunState> {
    requireKnown('RunState.load()', options, ['threadId', 'store'])
    requireStore('RunState.load()', options?.store)
    const journal = await Journal.open(options.store, parseThreadId(options.threadId))
    const { run, threadId } = journal.state
    if (!run) throw new ThreadNotFound(threadId)
    requireAgents(agent, run)
    return new RunState(agent, journal)
  }

  /** The conversation's id. */
  get threadId(): string {
    return this.#journal.state.threadId
  }

  /** The run's id. */
  get runId(): string {
    return this.#run.id
  }

  /** Whether the run is over, and how. */
  get status(): 'open' | 'completed' | 'aborted' {
    return this.#run.status
  }

  /** The version of the agent that the run was started on. */
  get agentVersion(): string | undefined {
    return this.#run.agent.version
  }

  /** @internal For `Runner`: the same run in the hands of another agent of its graph's shape. */
  as(agent: AgentDefinition): RunState {
    if (agent === this.agent) return this
    requireAgents(agent, this.#run)
    const state = new RunState(agent, this.#journal, this.#newId)
    state.#decisions = this.#decisions
    state.#unsigned = this.#unsigned
    return state
  }

  /** The identity of the agent whose turn it is at the root. */
  get currentAgent(): string {
    const run = this.#run
    return run.frames.get(run.id)?.agent.id ?? run.agent.id
  }

  /** Lets another agent of the graph go on at the root. Calls that wait stay with the agent that made them. */
  async setCurrentAgent(agent: AgentDefinition): Promise<void> {
    const ref = this.agent.graph.refOf(agent)
    const written = await this.#journal.write(({ run }) =>
      run?.status === 'open' ? { entries: [planAgentChange(run.id, { agent: ref })] } : undefined,
    )
    if (!written) throw new InputInvalid('The run is over: start another one with the agent that is to go on.')
  }

  /** What waits for a decision, in call order. Copies: changing them changes nothing. */
  get interruptions(): HitlRequest[] {
    return this.snapshot().interruptions()
  }

  /** @internal For `run`: what waits now, to be copied later if somebody looks. */
  snapshot(): { interruptions(): HitlRequest[]; hand(): void } {
    const { state } = this.#journal
    const open = openRequests(state).map((request) => ({ ...request }))
    const shown = open.map(({ opened, version }) => ({ id: opened.id, version }))
    return {
      interruptions: () => {
        this.#decisions.shown.look(shown)
        return open.map((request) => toInterruption(state, request))
      },
      hand: () => this.#decisions.shown.hand(shown),
    }
  }

  /** The same as `interruptions`. */
  getInterruptions(): HitlRequest[] {
    return this.interruptions
  }

  /** What the run used of its models so far, across pauses and processes. */
  get usage(): Usage {
    return { ...this.#run.usage }
  }

  /** How often the model has answered in this run, across pauses and processes. */
  get currentTurn(): number {
    return this.#run.frames.get(this.#run.id)?.turn ?? 0
  }

  /** The run option `tracing`, for the application's own tracing: kept in this object, and in a text only if that asks for it. */
  get tracing(): { apiKey: string } | undefined {
    return this.#tracing && { ...this.#tracing }
  }

  /** The conversation so far. Results of a turn enter it when all of the turn's calls have one. */
  get messages(): Message[] {
    return cloneMessages(this.#journal.state.messages)
  }

  /** The model's last words. */
  get lastText(): string {
    const last = this.#journal.state.messages.at(-1)
    return last ? textOf(last.content) : ''
  }

  /** @internal For `run`: the last answer, as the agent that gave it says what it is. */
  readOutput(): Promise<unknown> {
    const run = this.#run
    return readOutput(outputTypeOf(this.agent, run.frames.get(run.id)?.agent), this.lastText)
  }

  /** Lets the recorded call run; with `always`, also later calls of this tool: in this run by this agent, unless it says otherwise. */
  approve(request: RequestRef, options: DecisionOptions & Standing = {}): Promise<HitlRequest> {
    return this.#decideOne(request, { type: 'approve' }, { options, known: ['always'] })
  }

  /** Refuses the call; `message` is what the model reads as its result. */
  reject(request: RequestRef, options: DecisionOptions & Standing & { message?: string } = {}): Promise<HitlRequest> {
    const { message } = options
    const decision = { type: 'reject' as const, ...(message === undefined ? {} : { message }) }
    return this.#decideOne(request, decision, { options, known: ['always', 'message'] })
  }

  /** Lets the call run with other arguments, which the tool's schema must accept. The model is told, with `message` as the reason. */
  edit(
    request: RequestRef,
    options: DecisionOptions & { args: JsonObject; toolName?: string; message?: string },
  ): Promise<HitlRequest> {
    const { args, toolName, message } = options
    const decision: JsonObject & { type: 'edit' } = { type: 'edit', args }
    if (toolName !== undefined) decision.toolName = toolName
    if (message !== undefined) decision.message = message
    return this.#decideOne(request, decision, { options, known: ['always', 'args', 'toolName', 'message'] })
  }

  /** Does not run the call; the person's words are its (successful) result. */
  respond(request: RequestRef, options: DecisionOptions & { message: string }): Promise<HitlRequest> {
    const { message } = options
    return this.#decideOne(request, { type: 'respond', message }, { options, known: ['always', 'message'] })
  }

  /** Answers a question of any kind: a boolean to `confirm`, an object of texts to `ask`, a decision to `approve`. */
  answer(request: RequestRef, answer: unknown, options: DecisionOptions & Standing = {}): Promise<HitlRequest> {
    return this.#decisions.one(this.#place, { method: 'answer', request, answer }, { options, known: ['always'] })
  }

  /**
   * Answers one request that it names, or several: all or none is stored. A batch that names no request is for what this state has shown, one
   * decision for each interruption, in order; with `unbound` for whatever is open now. Each may have its own `always`.
   */
  decide(given: AnswerBatch | NamedAnswer): Promise<HitlRequest[]> {
    return this.#decisions.all(this.#place, given)
  }

  /** Adds input that the model reads after the results of what is pending. */
  async addInput(input: Input): Promise<void> {
    const added = { v: 1, type: 'input.added', run: this.runId, input: toMessages(input) } as const
    const written = await this.#journal.write(({ run }) =>
      run?.id === added.run && run.status === 'open' ? { entries: [added] } : undefined,
    )
    if (!written) throw new InputInvalid('The run is over: start another one with run(agent, input, { threadId }).')
  }

  /**
   * The state as text: everything that another process needs, the application's context included. The tracing key is left out unless asked for.
   * Await decisions before: while one is being made, this throws `DecisionPending`.
   */
  toString(options: TextOptions & { includeTracingApiKey?: boolean } = {}): string {
    requireKnown('state.toString()', options, ['signingKeys', 'includeTracingApiKey'])
    if (this.#decisions.isBusy) throw new DecisionPending(this.threadId)
    const { tenant, threadId } = this.#journal.state
    const tracing = options.includeTracingApiKey ? this.#tracing : undefined
    return writeStateText({ tenant, threadId, entries: this.#journal.bodies, tracing }, options.signingKeys)
  }

  /** The same as data, so that `JSON.stringify(state)` works. */
  toJSON(): JsonValue {
    return JSON.parse(this.toString()) as JsonValue
  }

  /** @internal For `run`: waits for decisions that nobody awaited and throws the first failure among them. */
  async settleDecisions(): Promise<Journal> {
    await this.#decisions.settle()
    return this.#journal
  }

  /** @internal For `run`: what of it comes from an unsigned text. */
  get unsigned(): UnsignedText | undefined {
    return this.#unsigned
  }

  /** @internal For `run`: goes on in a store that has taken this state over. */
  moveTo(journal: Journal): void {
    this.#journal = journal
    this.#unsigned = undefined
  }

  /** @internal For `run`: takes the option of this call. */
  trace(tracing: Tracing | undefined): void {
    this.#tracing = tracing && { apiKey: tracing.apiKey }
  }

  get #run(): Run {
    const { run } = this.#journal.state
    if (!run) throw new ThreadNotFound(this.threadId)
    return run
  }

  get #place(): DecisionPlace {
    return { journal: this.#journal, agent: this.agent, newId: this.#newId }
  }

  #decideOne(
    request: RequestRef,
    decision: JsonObject & { type: DecisionType },
    given: { options: DecisionOptions & Standing; known: readonly string[] },
  ): Promise<HitlRequest> {
    return this.#decisions.one(this.#place, { method: decision.type, request, decision }, given)
  }
}
