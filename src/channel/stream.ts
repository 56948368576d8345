import { checkOptions } from '../hil/content.ts'
import type { Asked, Presentation, WaitOptions } from '../ports/channel.ts'
import type { Store } from '../ports/store.ts'
import type { Streams } from '../ports/streams.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import type { JsonValue } from '../protocol/json/json.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { ChannelBase, type ChannelOptions } from './base.ts'
import { CheckpointedChannel, type CheckpointedChannelOptions } from './checkpointed.ts'
import { InMemoryChannel } from './in-memory.ts'
import { StreamLine } from './stream-line.ts'

/** Options of a stream channel. */
export interface StreamChannelOptions extends ChannelOptions {
  streams: Streams
  /** The session of the person who is asked: a UUID, as gateways require. */
  session: string
  /** The thread's store. With it (and `threadId`) all questions survive this process. */
  store?: Store
  /** Lets bodies of tools that are not marked `resumable` wait. After a restart they run again from the top. */
  allowInsideCustomTool?: boolean
  /**
   * Opens the session with the first question, unless its owner has already opened it, and keeps it open while a question waits. Left out: the
   * application keeps the session open, for example with a `HilMessageStreamContext`.
   */
  keepOpen?: { owner: string; expireSeconds?: number }
  /** The largest message that is sent. Default 262 144. */
  maxMessageBytes?: number
}

/** Vanished questions are rare, and each check costs a request. */
const LOOK_MS = 15_000

const KNOWN = [
  ...['streams', 'session', 'store', 'threadId', 'defaultTimeoutSeconds', 'allowInsideCustomTool'],
  ...['keepOpen', 'maxMessageBytes', 'clock', 'onListenerError'],
]

/**
 * A channel whose questions go to a person in another process, over a message stream. All open questions are on the stream and can be answered in
 * any order; `pending` is the first. Answers in this process (`answer`) count too: the first one wins.
 *
 * With a store it is a checkpointed channel: a request is stored before it is sent, decided at the desk, and then retracted from the stream.
 * Questions that are open when this process ends stay on the stream; another channel on the same session takes them over.
 */
export class StreamChannel extends ChannelBase {
  readonly durable: boolean
  override readonly allowInsideCustomTool: boolean
  readonly session: string
  readonly #line: StreamLine
  readonly #asker: ChannelBase
  #opening: string | undefined

  constructor(options: StreamChannelOptions) {
    checkOptions('StreamChannel', options, KNOWN)
    const { streams, session, store, threadId, keepOpen, maxMessageBytes = 262_144, ...asking } = options
    super({ ...asking, ...(threadId === undefined ? {} : { threadId }) })
    if (typeof session !== 'string' || session === '') throw new InputInvalid('StreamChannel needs a session.')
    if (store && threadId === undefined) throw new InputInvalid('StreamChannel with a store needs the threadId too.')
    this.session = session
    this.durable = store !== undefined
    this.allowInsideCustomTool = options.allowInsideCustomTool ?? false
    const expireSeconds = keepOpen?.expireSeconds ?? 3600
    this.#line = new StreamLine({
      streams,
      session,
      maxMessageBytes,
      stored: store && threadId !== undefined ? { store, threadId } : undefined,
      keepOpen: keepOpen && { owner: keepOpen.owner, expireSeconds },
      lookMs: keepOpen ? Math.min(LOOK_MS, (expireSeconds * 1000) / 3) : LOOK_MS,
    })
    const show = (asked: Asked): Presentation => {
      this.#opening = undefined
      return this.present(asked)
    }
    this.#asker =
      store && threadId !== undefined
        ? new StoredAsker({ ...asking, store, threadId }, show)
        : new MemoryAsker(asking, show)
    this.#asker.observe({
      asked: (request) => this.tellAsked(request),
      settled: (request, ending) => this.tellSettled(request, ending),
    })
  }

  override present(asked: Asked): Presentation {
    const shown = super.present(asked)
    const posted = this.#line.post(asked)
    return {
      withdraw: () => {
        shown.withdraw()
        posted.withdraw()
      },
      update: (request) => {
        shown.update?.(request)
        posted.update?.(request)
      },
    }
  }

  wait(request: HitlRequest, options: WaitOptions = {}): Promise<JsonValue> {
    return this.#asker.wait(request, options)
  }

  /** Waits until settled questions are off the stream. Call it before you shut the streams down. */
  flush(): Promise<void> {
    return this.#line.flush()
  }

  protected async askOutside(request: HitlRequest, options: WaitOptions): Promise<JsonValue> {
    this.#opening = request.questionId
    try {
      return await this.#asker.wait(request, options)
    } finally {
      if (this.#opening === request.questionId) this.#opening = undefined
    }
  }

  protected override get occupied(): string | undefined {
    return this.#opening ?? super.occupied
  }
}

/** Asks questions of application code and stores them. */
class StoredAsker extends CheckpointedChannel {
  readonly #show: (asked: Asked) => Presentation

  constructor(options: CheckpointedChannelOptions, show: (asked: Asked) => Presentation) {
    super(options)
    this.#show = show
  }

  override present(asked: Asked): Presentation {
    return this.#show(asked)
  }
}

/** Asks questions of application code and tool bodies, without a store. */
class MemoryAsker extends InMemoryChannel {
  readonly #show: (asked: Asked) => Presentation

  constructor(options: ChannelOptions, show: (asked: Asked) => Presentation) {
    super(options)
    this.#show = show
  }

  override present(asked: Asked): Presentation {
    return this.#show(asked)
  }
}
