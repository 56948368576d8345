import type { Redis } from 'ioredis'

/** What a bell needs. */
export interface BellOptions {
  /** Returns a client for listening that is not connected yet. */
  connect(): Redis | undefined
  /** Whether anybody waits on a channel. */
  isWanted(channel: string): boolean
  /** Without `words`: look at everything on the channel. */
  onRing(channel: string, words?: string): void
}

type State =
  | { kind: 'off' }
  | { kind: 'connecting' | 'on'; client: Redis }
  | { kind: 'waiting'; timer: NodeJS.Timeout }
  | { kind: 'closed' }

/** How many channels one command subscribes to. */
const BATCH = 1000
/** How long a channel stays subscribed after the last waiter left, at least. */
const LINGER_MS = 10_000
/** How often the connection is pinged, and how long a ping may take. */
const PULSE_MS = 5000

/**
 * The one connection on which a process hears that something happened in the sessions that it waits for. Each session has a channel. A process
 * subscribes to channels that have waiters and keeps them for some seconds after that, since clients poll again soon.
 *
 * B1  Pub/sub delivers at most once. So `onRing` without words is called when a channel is first subscribed, and for all channels after a
 *     reconnect: everybody looks once, and misses nothing from then on.
 * B2  A connection that died silently is found by pings that are not answered.
 */
export class Bell {
  readonly #options: BellOptions
  /** Channels, and whether each is subscribed. */
  readonly #channels = new Map<string, boolean>()
  #state: State = { kind: 'off' }
  #subscribing = false
  #failures = 0
  /** Channels that nobody waited on at the last sweep. */
  #idle = new Set<string>()
  #sweeper: NodeJS.Timeout | undefined
  #pulse: NodeJS.Timeout | undefined

  constructor(options: BellOptions) {
    this.#options = options
  }

  /** Registers a waiter on this channel. */
  hear(channel: string): void {
    this.#idle.delete(channel)
    if (this.#channels.has(channel) || this.#state.kind === 'closed') return
    this.#channels.set(channel, false)
    this.#sweeper ??= setInterval(() => this.#sweep(), LINGER_MS).unref()
    if (this.#state.kind === 'on') this.#subscribeSoon()
    else if (this.#state.kind === 'off') this.#startSoon(0)
  }

  /** Whether events are heard now. */
  get listening(): boolean {
    return this.#state.kind === 'on'
  }

  close(): void {
    const before = this.#state
    this.#state = { kind: 'closed' }
    clearInterval(this.#sweeper)
    clearInterval(this.#pulse)
    if (before.kind === 'waiting') clearTimeout(before.timer)
    if (before.kind === 'on' || before.kind === 'connecting') before.client.disconnect()
  }

  async #start(): Promise<void> {
    let client: Redis | undefined
    try {
      client = this.#options.connect()
      if (!client) return this.#retryLater()
      await this.#connect(client)
    } catch {
      // Waiters look now and then meanwhile, and are told what is wrong.
      client?.disconnect()
      if (client) this.#lost(client)
      else this.#retryLater()
    }
  }

  async #connect(client: Redis): Promise<void> {
    this.#state = { kind: 'connecting', client }
    client.on('error', () => undefined)
    client.on('end', () => this.#lost(client))
    client.on('message', (channel: string, words: string) => this.#options.onRing(channel, words))
    await client.connect()
    if ((this.#state as State).kind === 'closed') return client.disconnect()
    this.#state = { kind: 'on', client }
    this.#failures = 0
    this.#startPings(client)
    this.#subscribeSoon()
  }

  #lost(client: Redis): void {
    const state = this.#state
    if ((state.kind === 'connecting' || state.kind === 'on') && state.client === client) this.#retryLater()
  }

  /** Disconnects when a ping was not answered before the next one is due (B2). */
  #startPings(client: Redis): void {
    let answered = true
    clearInterval(this.#pulse)
    this.#pulse = setInterval(() => {
      if (!answered) return client.disconnect()
      answered = false
      client.ping().then(
        () => {
          answered = true
        },
        () => undefined,
      )
    }, PULSE_MS).unref()
  }

  #retryLater(): void {
    clearInterval(this.#pulse)
    for (const channel of this.#channels.keys()) this.#channels.set(channel, false)
    this.#startSoon(Math.min(100 * 2 ** Math.min(this.#failures++, 5), 2000))
  }

  #startSoon(ms: number): void {
    const timer = setTimeout(() => this.#start(), ms)
    this.#state = { kind: 'waiting', timer }
    if (this.#channels.size === 0) timer.unref()
  }

  /** Channels that are wanted in the same tick are subscribed together. */
  #subscribeSoon(): void {
    if (this.#subscribing) return
    this.#subscribing = true
    queueMicrotask(() => this.#subscribeAll())
  }

  async #subscribeAll(): Promise<void> {
    this.#subscribing = false
    if (this.#state.kind !== 'on') return
    const { client } = this.#state
    const missing = [...this.#channels].flatMap(([channel, subscribed]) => (subscribed ? [] : [channel]))
    for (const channel of missing) this.#channels.set(channel, true)
    for (let i = 0; i < missing.length; i += BATCH) {
      const batch = missing.slice(i, i + BATCH)
      try {
        await client.subscribe(...batch)
      } catch {
        // Not allowed, or broken: either way this connection is of no use.
        return client.disconnect()
      }
      for (const channel of batch) this.#options.onRing(channel)
    }
  }

  /** Unsubscribes channels that nobody waited on since the last sweep. */
  #sweep(): void {
    const unwanted = [...this.#channels.keys()].filter((channel) => !this.#options.isWanted(channel))
    const leaving = unwanted.filter((channel) => this.#idle.has(channel))
    this.#idle = new Set(unwanted)
    for (const channel of leaving) this.#channels.delete(channel)
    for (let i = 0; this.#state.kind === 'on' && i < leaving.length; i += BATCH) {
      this.#state.client.unsubscribe(...leaving.slice(i, i + BATCH)).catch(() => undefined)
    }
    if (this.#channels.size > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }
}
