import type { ThreadState } from '../../core/state.ts'
import type { RequestRef } from '../../desk/find.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Actor } from '../../protocol/decision.ts'
import { type Tracing, writeStateText } from '../../protocol/entries/state-text.ts'
import { DecisionPending, InputInvalid, MessagesNotLoaded, ThreadNotFound } from '../../protocol/errors/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { InputMessage } from '../../protocol/message.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { ContextInput, RunContext } from '../../protocol/run-context.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { AnswerBatch, NamedAnswer } from '../answers/answers.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { outputTypeOf, readOutput } from '../definition/output-type.ts'
import { requireAgents } from '../frames/frame-agents.ts'
import type { Journal } from '../journal/journal.ts'
import type { UnsignedText } from '../restore/adopt.ts'
import { replaceContext, toGivenContext } from '../restore/replace-context.ts'
import { restore } from '../restore/restore.ts'
import { addInput, changeAgent, clearInput } from './change-run.ts'
import { type DecisionPlace, Decisions, type GivenOptions, type TypedDecision } from './decisions.ts'
import { type Input, toMessages } from './input.ts'
import { openJournal } from './open-journal.ts'
import { momentOf, type RunMoment } from './run-moment.ts'
import { RunView } from './run-view.ts'
import type { DecisionOptions, LoadOptions, RestoreOptions, Standing, TextOptions } from './state-options.ts'
import { runsOf, type ThreadRun } from './thread-runs.ts'

/**
 * The state of a run: what it waits for, and where decisions are made. With a store, a decision is stored when its promise resolves. Without
 * one it lives in this object and in the string that it is serialised to. A string can be restored twice; a store prevents that.
 */
export class RunState extends RunView {
  /** @internal */
  readonly agent: AgentDefinition
  #journal: Journal
  #made: Decisions | undefined
  #unsigned: UnsignedText | undefined
  #tracing: Tracing | undefined
  /** It was loaded without its conversation. A short thread has it at hand: what can be read must not depend on that. */
  #lean = false

  private constructor(agent: AgentDefinition, journal: Journal, decisions?: Decisions) {
    super()
    this.agent = agent
    this.#journal = journal
    this.#made = decisions
  }

  /** @internal */
  static of(agent: AgentDefinition, journal: Journal, newId: IdSource): RunState {
    return new RunState(agent, journal, new Decisions(newId))
  }

  /** Restores a serialised state, in any process that has the agent's code. Whitespace and the order of keys do not matter. */
  static async fromString(agent: AgentDefinition, text: string, options: RestoreOptions = {}): Promise<RunState> {
    // With a misspelt `signingKeys` any string would be accepted.
    requireKnown('RunState.fromString()', options, ['signingKeys', 'trust'])
    return RunState.#restored(agent, restore(agent, text, options), options)
  }

  /**
   * The same with another context from here on: a `RunContext`, or the value of its `context`. It is stored with the run. `'merge'` keeps the
   * stored decisions, and the stored `toolInput` unless one is given. `'replace'` withdraws decisions that were not acted on, standing ones too:
   * their calls are asked again. Kept whole: a fixed name with fixed parameters.
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

  /**
   * Loads a thread from its store, in any process that has the agent's code. Without `messages` it costs the same whatever the length of the
   * conversation; `run` reads the messages when it needs them.
   */
  static async load(agent: AgentDefinition, options: LoadOptions): Promise<RunState> {
    const { journal, lean } = await openJournal(options, agent.toolset)
    const { run, threadId } = journal.state
    if (!run) throw new ThreadNotFound(threadId)
    requireAgents(agent, run)
    const state = new RunState(agent, journal)
    state.#lean = lean
    return state
  }

  /** Loads the conversation, if the state was loaded without it, and the earlier entries of a long thread, which `toString()` needs. */
  async loadMessages(): Promise<void> {
    await this.#journal.loadAll()
    this.#lean = false
  }

  /** @internal For `run`: loads what driving needs. */
  async loadToDrive(): Promise<void> {
    await this.#journal.loadToDrive()
    this.#lean = false
  }

  /** @internal For `Runner`: the same run, for another agent with the same graph. */
  as(agent: AgentDefinition): RunState {
    if (agent === this.agent) return this
    requireAgents(agent, this.run)
    const state = new RunState(agent, this.#journal, this.#decisions)
    state.#unsigned = this.#unsigned
    state.#lean = this.#lean
    return state
  }

  /** Makes another agent of the graph go on in the root frame. Open calls stay with the agent that made them. */
  async setCurrentAgent(agent: AgentDefinition): Promise<void> {
    await changeAgent(this.#journal, this.agent.graph.refOf(agent))
  }

  /** The open requests, in call order. Copies. */
  get interruptions(): HitlRequest[] {
    return this.snapshot().interruptions()
  }

  /** @internal For `run`: the run as it is now. Copied when it is read. */
  snapshot(): RunMoment {
    return momentOf({ state: this.thread, run: this.run }, { agent: this.agent, shown: this.#decisions.shown })
  }

  /** @internal For adapters that show the conversation: the runs of the thread, oldest first. This one is the last. */
  threadRuns(): ThreadRun[] {
    this.#requireWhole()
    return runsOf(this.#journal)
  }

  /** @internal The same. Loads earlier entries that driving did not need. */
  async loadRuns(): Promise<ThreadRun[]> {
    await this.#journal.loadAll()
    return this.threadRuns()
  }

  /** The same as `interruptions`. */
  getInterruptions(): HitlRequest[] {
    return this.interruptions
  }

  /** The run option `tracing`, for the application's own tracing. Serialised only on request. */
  get tracing(): { apiKey: string } | undefined {
    return this.#tracing && { ...this.#tracing }
  }

  /** @internal For `run`: the last answer, as the agent that gave it says what it is. */
  readOutput(): Promise<unknown> {
    return readOutput(outputTypeOf(this.agent, this.run.frames.get(this.runId)?.agent), this.lastText)
  }

  /** Approves the call as recorded. With `always` also later calls of the tool, by default those of this agent in this run. */
  approve(request: RequestRef, options: DecisionOptions & Standing = {}): Promise<HitlRequest> {
    return this.#decideOne(request, { type: 'approve' }, { options, known: ['always'] })
  }

  /** Rejects the call. The model reads `message` as its result. */
  reject(request: RequestRef, options: DecisionOptions & Standing & { message?: string } = {}): Promise<HitlRequest> {
    const { message } = options
    const decision = { type: 'reject' as const, ...(message === undefined ? {} : { message }) }
    return this.#decideOne(request, decision, { options, known: ['always', 'message'] })
  }

  /** Runs the call with other arguments, which must fit the tool's schema. The model is told, with `message` as the reason. */
  edit(
    request: RequestRef,
    options: DecisionOptions & { args: JsonObject; toolName?: string; message?: string },
  ): Promise<HitlRequest> {
    const { args, toolName, message } = options
    const optional = { ...(toolName === undefined ? {} : { toolName }), ...(message === undefined ? {} : { message }) }
    const decision = { type: 'edit' as const, args, ...optional }
    return this.#decideOne(request, decision, { options, known: ['always', 'args', 'toolName', 'message'] })
  }

  /** Answers the call instead of running it: `message` is its successful result. */
  respond(request: RequestRef, options: DecisionOptions & { message: string }): Promise<HitlRequest> {
    const { message } = options
    return this.#decideOne(request, { type: 'respond', message }, { options, known: ['always', 'message'] })
  }

  /** Answers a question of any kind: a boolean to `confirm`, an object of strings to `ask`, a decision to `approve`. */
  answer(request: RequestRef, answer: unknown, options: DecisionOptions & Standing = {}): Promise<HitlRequest> {
    return this.#decisions.one(this.#place, { method: 'answer', request, answer }, { options, known: ['always'] })
  }

  /**
   * Answers one request by name, or several, all or none. A batch without names is for what this state has shown: one decision for each
   * interruption, in order. With `unbound` it is for whatever is open now. Each answer may have its own `always`.
   */
  decide(given: AnswerBatch | NamedAnswer): Promise<HitlRequest[]> {
    return this.#decisions.all(this.#place, given)
  }

  /** Adds input that the model reads after the results of what is pending. */
  async addInput(input: Input): Promise<void> {
    await addInput(this.#journal, this.runId, toMessages(input))
  }

  /** Removes the input of `pendingInput`, and resolves to it. What the model has read meanwhile stays. */
  async clearPendingInput(): Promise<InputMessage[]> {
    return clearInput(this.#journal, this.runId)
  }

  /**
   * Takes a decision back: the request opens again with the next version. Only its author may do that, and only until the call is started or, with
   * `undoSeconds`, until that time is over. `by` says who takes it back, as in the decision.
   */
  withdraw(request: RequestRef, options: { by?: string | Actor; version?: number } = {}): Promise<HitlRequest> {
    return this.#decisions.withdraw(this.#place, request, options)
  }

  /**
   * Serialises everything that another process needs, the application's context included; the tracing key only on request. `DecisionPending`: await
   * the decision that is being stored. `MessagesNotLoaded`, on long threads in a store: `await state.loadMessages()` first.
   */
  override toString(options: TextOptions & { includeTracingApiKey?: boolean } = {}): string {
    requireKnown('state.toString()', options, ['signingKeys', 'includeTracingApiKey'])
    this.#requireWhole()
    if (this.#made?.isBusy) throw new DecisionPending(this.threadId)
    const { tenant, threadId } = this.thread
    const tracing = options.includeTracingApiKey ? this.#tracing : undefined
    return writeStateText({ tenant, threadId, entries: this.#journal.bodies, tracing }, options.signingKeys)
  }

  /** The same as a JSON value, for `JSON.stringify(state)`. */
  toJSON(): JsonValue {
    return JSON.parse(this.toString()) as JsonValue
  }

  /** @internal For `run`: waits for decisions that nobody awaited. Throws the first failure. */
  async settleDecisions(): Promise<Journal> {
    await this.#made?.settle()
    return this.#journal
  }

  /** @internal For `run`: what comes from an unsigned string. */
  get unsigned(): UnsignedText | undefined {
    return this.#unsigned
  }

  /** @internal For `run`: continues in the store that has adopted this state. */
  moveTo(journal: Journal): void {
    this.#journal = journal
    this.#unsigned = undefined
  }

  /** @internal For `run`: sets the option of this call. */
  trace(tracing: Tracing | undefined): void {
    this.#tracing = tracing && { apiKey: tracing.apiKey }
  }

  /** @internal */
  protected override get thread(): ThreadState {
    return this.#journal.state
  }

  /** @internal */
  protected override requireMessages(): void {
    if (this.#lean) throw new MessagesNotLoaded(this.threadId)
  }

  /** For what is made of all entries. A long thread may have been driven without the earlier ones. */
  #requireWhole(): void {
    this.requireMessages()
    if (!this.#journal.isWhole) throw new MessagesNotLoaded(this.threadId, 'earlier entries')
  }

  get #decisions(): Decisions {
    this.#made ??= new Decisions()
    return this.#made
  }

  get #place(): DecisionPlace {
    return { journal: this.#journal, agent: this.agent }
  }

  #decideOne(request: RequestRef, decision: TypedDecision, given: GivenOptions): Promise<HitlRequest> {
    return this.#decisions.one(this.#place, { method: decision.type, request, decision }, given)
  }
}
