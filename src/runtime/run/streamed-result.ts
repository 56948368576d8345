import type { Readable } from 'node:stream'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { GuardrailResult, Usage } from '../../protocol/entries/entry.ts'
import type { HoldpointError } from '../../protocol/errors/errors.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import type { AgentEvent } from '../../protocol/event.ts'
import type { Message } from '../../protocol/message.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { EventQueue } from '../events/event-queue.ts'
import type { RunResult } from './result.ts'
import type { RunItem } from './run-items.ts'
import type { RunState } from './run-state.ts'

/** What a streamed run is made of. */
interface Streaming<TOutput> {
  state: RunState
  queue: EventQueue
  stop: AbortController
  signal: AbortSignal
  completed: Promise<RunResult<TOutput>>
  currentTurn: () => number
}

/**
 * A run that is under way: its events as they happen, and once it has paused or ended all that a result has.
 *
 * It is read once, as events or as text. The run does not wait for its reader. Reading throws the error of a run that failed, after
 * its last event; leaving the iteration early cancels the run.
 */
export class StreamedRunResult<TOutput = string> implements AsyncIterable<AgentEvent> {
  /** The run as it stands; once `completed` has settled, decide on it, turn it into text, run it again. */
  readonly state: RunState
  /** Fulfilled when the run has paused or ended, also when it failed; never rejected. Needs no reader. */
  readonly completed: Promise<RunResult<TOutput>>
  readonly #streaming: Streaming<TOutput>
  #result: RunResult<TOutput> | undefined
  #read = false

  /** Made by `run` with `stream: true`. */
  constructor(streaming: Streaming<TOutput>) {
    const { state, completed, queue } = streaming
    this.state = state
    this.#streaming = streaming
    this.completed = completed.then((result) => {
      this.#result = result
      queue.end(result.error)
      return result
    })
  }

  /** The conversation's id. */
  get threadId(): string {
    return this.state.threadId
  }

  /** The run's id. */
  get runId(): string {
    return this.state.runId
  }

  /** `'running'`, then what the run came to. */
  get status(): RunResult['status'] | 'running' {
    return this.#result?.status ?? 'running'
  }

  /** What waits for a person, in call order. */
  get interruptions(): HitlRequest[] {
    return this.#result?.interruptions ?? this.state.interruptions
  }

  /** The conversation so far, as the input of another run. */
  get history(): Message[] {
    return this.#result?.history ?? this.state.history
  }

  /** What the run added to the conversation so far. */
  get newItems(): RunItem[] {
    return this.#result?.newItems ?? this.state.newItems
  }

  /** What the input guardrails of the run's agents returned so far. */
  get inputGuardrailResults(): GuardrailResult[] {
    return this.#result?.inputGuardrailResults ?? this.state.inputGuardrailResults
  }

  /** What the output guardrails of the run's agents returned so far. */
  get outputGuardrailResults(): GuardrailResult[] {
    return this.#result?.outputGuardrailResults ?? this.state.outputGuardrailResults
  }

  /** The agent that answered last, or whose turn it is. */
  get lastAgent(): AgentDefinition {
    return this.#result?.lastAgent ?? this.state.lastAgent
  }

  /** The model's last answer, as `outputType` makes it; only set when the run completed. */
  get finalOutput(): TOutput | undefined {
    return this.#result?.finalOutput
  }

  /** Why it failed. */
  get error(): HoldpointError | undefined {
    return this.#result?.error
  }

  /** What the run used of its models so far. */
  get usage(): Usage {
    return this.#result?.usage ?? this.state.usage
  }

  /** How many times the model was asked in this run so far, earlier activations included. */
  get currentTurn(): number {
    return this.#streaming.currentTurn()
  }

  /** Whether it was told to stop. */
  get cancelled(): boolean {
    return this.#streaming.signal.aborted
  }

  /** Stops driving: the run is `incomplete`, and running its state again goes on. Fulfilled when it has stopped. */
  cancel(reason?: unknown): Promise<RunResult<TOutput>> {
    if (!this.#result) this.#streaming.stop.abort(reason)
    return this.completed
  }

  /**
   * The model's words alone, piece by piece as they come: those of the root, not of agents that it uses as tools. With `compatibleWithNodeStreams` as
   * a stream of Node, for `pipe` and `pipeline`; destroying it cancels the run.
   */
  toTextStream(options?: { compatibleWithNodeStreams?: false }): ReadableStream<string> & AsyncIterable<string>
  toTextStream(options: { compatibleWithNodeStreams: true }): Readable
  toTextStream(options: { compatibleWithNodeStreams?: boolean } = {}): ReadableStream<string> | Readable {
    requireKnown('toTextStream()', options, ['compatibleWithNodeStreams'])
    const { compatibleWithNodeStreams: forNode = false } = options
    if (typeof forNode !== 'boolean') throw new InputInvalid('compatibleWithNodeStreams must be true or false.')
    const texts = textsOf(this[Symbol.asyncIterator]())
    const readable = { [Symbol.asyncIterator]: () => texts }
    if (forNode) {
      // Loaded here, since most programs never need it.
      const { Readable } = process.getBuiltinModule('node:stream')
      return Readable.from(readable, { objectMode: false, encoding: 'utf8' })
    }
    return new ReadableStream<string>(
      {
        async pull(controller) {
          const { done, value } = await texts.next()
          return done ? controller.close() : controller.enqueue(value)
        },
        async cancel() {
          await texts.return?.()
        },
      },
      { highWaterMark: 0 },
    )
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, undefined> {
    if (this.#read) throw new InputInvalid('This stream is read already: it can be read once, as events or as text.')
    this.#read = true
    const { queue } = this.#streaming
    return {
      next: () => queue.next(),
      return: async () => {
        await this.cancel()
        queue.clear()
        return { done: true, value: undefined }
      },
    }
  }
}

/** The words of the root's model among events. Returning early ends the events at once, also while the next one is waited for. */
function textsOf(events: AsyncIterator<AgentEvent, undefined>): AsyncIterator<string, undefined> {
  return {
    async next() {
      for (;;) {
        const { done, value } = await events.next()
        if (done) return { done: true, value: undefined }
        if (value.type !== 'model_part' || value.part.type !== 'text' || value.depth > 0) continue
        if (value.part.text !== '') return { done: false, value: value.part.text }
      }
    },
    async return() {
      await events.return?.()
      return { done: true, value: undefined }
    },
  }
}
