import type { LiveEvent } from '../../protocol/api/records.ts'
import { backOffMs, sleep } from '../back-off.ts'
import { TryAgain } from '../client-error.ts'
import { EventParser } from '../feed/event-parser.ts'
import { nextPiece } from '../feed/event-source.ts'
import { ApiError, NetworkError } from './api-error.ts'
import type { Http } from './http.ts'

/**
 * The state of a live stream. `connecting`: not heard anything yet. `live`: events come as they happen. `waiting`: the connection was lost and is tried
 * again. `closed`: it was closed, or the gateway refused; nothing more comes.
 */
export type LiveState = 'connecting' | 'live' | 'waiting' | 'closed'

/** How live events are read. */
export interface EventsOptions {
  /** Gets each event, in order. After `reset` events were missed: load everything again that is shown. */
  onEvent: (event: LiveEvent) => void
  /** Gets each change of the state, with the problem while it is `waiting` or after it was refused. */
  onState?: (state: LiveState, problem?: ApiError | NetworkError) => void
  /** Ends the stream. */
  signal?: AbortSignal
  /** The `lastEventId` of an earlier stream: go on after it. */
  after?: string
}

/** A stream of live events that survives broken connections. */
export interface LiveEvents {
  readonly state: LiveState
  /** The position of the last event. */
  readonly lastEventId: string | undefined
  /** Connects again at once, whether it waits or is live: for example when the network changed. */
  retryNow(): void
  close(): void
  /** Settles when the stream has ended, whatever the reason. */
  readonly ended: Promise<void>
}

/** A gateway sends its first bytes at once. */
const GREETING_MS = 10_000
/** A connection that broke sooner than this counts as a failed try: something on the way may accept connections and drop them. */
const SETTLED_MS = 5_000

/** Reads `/v1/events` until it is closed or refused. */
export class LiveReader implements LiveEvents {
  readonly #http: Http
  readonly #options: EventsOptions & { silenceMs: number }
  readonly #closing = new AbortController()
  #hurry = new AbortController()
  /** Leaves the connection that is open. */
  #leave = new AbortController()
  #state: LiveState = 'connecting'
  #lastId: string | undefined
  #failures = 0
  #wasLive = false
  #liveSince = 0
  readonly ended: Promise<void>

  constructor(http: Http, options: EventsOptions & { silenceMs: number }) {
    this.#http = http
    this.#options = options
    this.#lastId = options.after
    this.ended = this.#read()
  }

  get state(): LiveState {
    return this.#state
  }

  get lastEventId(): string | undefined {
    return this.#lastId
  }

  retryNow(): void {
    if (this.#state === 'live') this.#leave.abort()
    else this.#hurry.abort()
  }

  close(): void {
    this.#closing.abort()
  }

  async #read(): Promise<void> {
    // The caller has the stream in hand before it hears of the first state.
    await undefined
    const { signal, onState } = this.#options
    const ends = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
    tell(() => onState?.('connecting'))
    while (!ends.aborted) {
      try {
        await this.#connection(ends)
      } catch (error) {
        if (ends.aborted) break
        // Left on purpose: it counts as lost only if the next one does not come about.
        if (this.#leave.signal.aborted) continue
        const problem = toProblem(error)
        if (this.#state === 'live' && Date.now() - this.#liveSince >= SETTLED_MS) this.#failures = 0
        if (isFinal(problem)) return this.#become('closed', problem)
        this.#become('waiting', problem)
        await this.#pause(problem, ends)
      }
    }
    this.#become('closed')
  }

  /** Reads one connection. Always throws: it ends only by breaking. */
  async #connection(ends: AbortSignal): Promise<never> {
    const cut = new AbortController()
    this.#leave = new AbortController()
    const signal = AbortSignal.any([ends, cut.signal, this.#leave.signal])
    const { silenceMs } = this.#options
    const greetingMs = Math.min(GREETING_MS, silenceMs)
    try {
      const response = await this.#http.open({
        path: ['events'],
        headers: { accept: 'text/event-stream', ...(this.#lastId ? { 'last-event-id': this.#lastId } : {}) },
        timeoutMs: greetingMs,
        once: true,
        signal,
      })
      if (!response.body || !response.headers.get('content-type')?.includes('text/event-stream'))
        throw new NetworkError('Something on the way answered instead of the event stream.')
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      const parser = new EventParser()
      for (let heard = false; ; heard = true) {
        const piece = await nextPiece(reader, heard ? silenceMs : greetingMs, ends)
        if (piece === 'silent') throw new NetworkError('The gateway fell silent.', { late: true })
        if (piece === 'end') throw new NetworkError('The connection was closed.')
        if (!heard) this.#opened()
        for (const { type, data, id } of parser.push(piece.text)) {
          if (type === 'message' && data !== '') this.#deliver(data)
          this.#lastId = id || this.#lastId
        }
        this.#lastId = parser.lastId || this.#lastId
      }
    } finally {
      cut.abort()
    }
  }

  #opened(): void {
    // Without a position the gateway cannot send what was missed.
    const missed = this.#wasLive && this.#lastId === undefined
    this.#wasLive = true
    this.#liveSince = Date.now()
    this.#become('live')
    if (missed) tell(() => this.#options.onEvent({ type: 'reset' }))
  }

  #deliver(data: string): void {
    let event: LiveEvent
    try {
      event = JSON.parse(data) as LiveEvent
    } catch (cause) {
      throw new NetworkError('The gateway sent an event that is not JSON.', { cause })
    }
    tell(() => this.#options.onEvent(event))
  }

  async #pause(problem: ApiError | NetworkError, ends: AbortSignal): Promise<void> {
    const least = problem instanceof ApiError ? problem.retryAfterMs : 0
    const ms = Math.max(backOffMs(++this.#failures, this.#http.options.backoff), least)
    await sleep(ms, AbortSignal.any([ends, this.#hurry.signal]))
    this.#hurry = new AbortController()
  }

  #become(state: LiveState, problem?: ApiError | NetworkError): void {
    const same = state === this.#state
    this.#state = state
    if (!same || problem) tell(() => this.#options.onState?.(state, problem))
  }
}

function toProblem(error: unknown): ApiError | NetworkError {
  if (error instanceof ApiError || error instanceof NetworkError) return error
  const message = error instanceof TryAgain ? error.message : String(error)
  return new NetworkError(message, { cause: error })
}

/** Whether the gateway itself refused for good. Anything on the way may answer with an error page while a gateway starts. */
function isFinal(problem: ApiError | NetworkError): boolean {
  if (!(problem instanceof ApiError)) return false
  const passes = problem.status >= 500 || problem.status === 429 || problem.status === 408
  return !passes && (problem.status === 401 || problem.code !== 'unexpected_response')
}

/** A callback's error is reported as an uncaught one: it must not look like a broken connection. */
function tell(callback: () => void): void {
  try {
    callback()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
