import { stagedInput } from '../../core/queries.ts'
import type { Run, ThreadState } from '../../core/state.ts'
import { soundHistory } from '../../core/views/history.ts'
import type { GuardrailResult, Usage } from '../../protocol/entries/entry.ts'
import { ThreadNotFound } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject } from '../../protocol/json/json.ts'
import { cloneMessages, type InputMessage, type Message, textOf } from '../../protocol/message.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { itemSource, itemsOf, type RunItem } from './run-items.ts'

/** What can be read of a run. Everything is a copy. */
export abstract class RunView {
  /** @internal */
  abstract readonly agent: AgentDefinition
  /** @internal The folded thread. */
  protected abstract get thread(): ThreadState
  /** @internal Throws `MessagesNotLoaded` unless the conversation was loaded. */
  protected abstract requireMessages(): void

  /** @internal The run itself. */
  protected get run(): Run {
    const { run, threadId } = this.thread
    if (!run) throw new ThreadNotFound(threadId)
    return run
  }

  /** The conversation's id. */
  get threadId(): string {
    return this.thread.threadId
  }

  /** The run's id. */
  get runId(): string {
    return this.run.id
  }

  /** Whether the run is over, and how. */
  get status(): 'open' | 'completed' | 'aborted' {
    return this.run.status
  }

  /** The version of the agent that the run was started on. */
  get agentVersion(): string | undefined {
    return this.run.agent.version
  }

  /** The id of the agent whose turn it is in the root frame. */
  get currentAgent(): string {
    const { run } = this
    return run.frames.get(run.id)?.agent.id ?? run.agent.id
  }

  /** The agent whose turn it is in the root frame, or that answered last. */
  get lastAgent(): AgentDefinition {
    const { run } = this
    const ref = run.frames.get(run.id)?.agent
    return ref === undefined || ref.id === this.agent.id ? this.agent : this.agent.graph.require(ref)
  }

  /** The usage of models in this run so far, across pauses and processes. */
  get usage(): Usage {
    return { ...this.run.usage }
  }

  /** The number of model turns in this run, across pauses and processes. */
  get currentTurn(): number {
    return this.run.frames.get(this.run.id)?.turn ?? 0
  }

  /** The conversation so far. A turn's results are added when all of its calls have one. */
  get messages(): Message[] {
    return cloneMessages(this.#conversation.all)
  }

  /** The conversation as the input of another run: calls that have no result yet are left out. */
  get history(): Message[] {
    return cloneMessages(soundHistory(this.#conversation.all))
  }

  /** What this run added to the conversation so far, with the agents that did: answers, calls, results, and what waits for people. */
  get newItems(): RunItem[] {
    this.requireMessages()
    return itemsOf(itemSource(this.thread, this.run), this.agent)
  }

  /** What the input guardrails of this run's agents returned so far, in order, across pauses and processes. */
  get inputGuardrailResults(): GuardrailResult[] {
    return resultsOf(this.run.guardrails, 'input')
  }

  /** The same of output guardrails. */
  get outputGuardrailResults(): GuardrailResult[] {
    return resultsOf(this.run.guardrails, 'output')
  }

  /** Input that was added and that the model has not read. */
  get pendingInput(): InputMessage[] {
    return cloneMessages(stagedInput(this.run)) as InputMessage[]
  }

  get #conversation(): ThreadState['messages'] {
    this.requireMessages()
    return this.thread.messages
  }

  /** The text of the last message. */
  get lastText(): string {
    const last = this.thread.messages.at(-1)
    return last ? textOf(last.content) : ''
  }
}

/** Copies of the results of one kind of guardrail. */
export function resultsOf(all: Run['guardrails'], type: GuardrailResult['guardrail']['type']): GuardrailResult[] {
  const some = all.filter(({ guardrail }) => guardrail.type === type)
  return some.map((one) => cloneJson(one as JsonObject) as GuardrailResult)
}
