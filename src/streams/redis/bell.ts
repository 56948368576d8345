import type { Redis } from 'ioredis'

/**
 * The one connection on which a process hears that something happened in the sessions that it waits for. Each session has a channel, and a
 * process listens to those that somebody waits for and, for some seconds, to those that somebody waited for: clients poll again soon.
 *
 * Being told is at most once, so `onRing` without words says "look, from now on nothing is missed": when a channel is first heard, and on all
 * channels when the connection was made anew. A connection that died without a word is found by its not answering.
 */
export interface Bell {
  /** Somebody waits for this channel. */
  hear(channel: string): void
  /** Whether what happens is heard now. */
  readonly listening: boolean
  close(): void
}

/** What a bell needs. */
export interface BellOptions {
  /** A client for listening, not connected yet. */
  connect(): Redis | undefined
  /** Whether anybody waits for a channel. */
  isWanted(channel: string): boolean
  onRing(channel: string, words?: string): void
}

type State =
  | { kind: 'off' }
  | { kind: 'connecting' | 'on'; client: Redis }
  | { kind: 'waiting'; timer: NodeJS.Timeout }
  | { kind: 'closed' }

/** How many channels one command subscribes to. */
const BATCH = 1000
/** How long a channel that nobody waits for is listened to, at least. */
const LINGER_MS = 10_000
/** How often the connection is asked whether it is alive, and how long it may take to answer. */
const PULSE_MS = 5000

/** Hears nothing yet. */
export function createBell({ connect, isWanted, onRing }: BellOptions): Bell {
  /** Channels, and whether they are heard. */
  const channels = new Map<string, boolean>()
  let state: State = { kind: 'off' }
  let subscribing = false
  let failures = 0
  let idle = new Set<string>()
  let sweeper: NodeJS.Timeout | undefined
  let pulse: NodeJS.Timeout | undefined

  async function start(): Promise<void> {
    let client: Redis | undefined
    const lost = () => {
      if ((state.kind === 'connecting' || state.kind === 'on') && state.client === client) retryLater()
    }
    try {
      client = connect()
      if (!client) return retryLater()
      state = { kind: 'connecting', client }
      client.on('error', () => undefined)
      client.on('end', lost)
      client.on('message', onRing)
      await client.connect()
      if ((state as State).kind === 'closed') return client.disconnect()
      state = { kind: 'on', client }
      failures = 0
      feelPulse(client)
      subscribeSoon()
    } catch {
      // Who waits looks now and then meanwhile, and is told what is wrong.
      client?.disconnect()
      if (client) lost()
      else retryLater()
    }
  }

  /** Asks again and again, and lets go of a connection that has not answered when it is to be asked next. */
  function feelPulse(client: Redis): void {
    let answered = true
    clearInterval(pulse)
    pulse = setInterval(() => {
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

  function retryLater(): void {
    clearInterval(pulse)
    for (const channel of channels.keys()) channels.set(channel, false)
    startSoon(Math.min(100 * 2 ** Math.min(failures++, 5), 2000))
  }

  function startSoon(ms: number): void {
    const timer = setTimeout(start, ms)
    state = { kind: 'waiting', timer }
    if (channels.size === 0) timer.unref()
  }

  /** Channels that are wanted in the same moment are subscribed to together. */
  function subscribeSoon(): void {
    if (subscribing) return
    subscribing = true
    queueMicrotask(subscribeAll)
  }

  async function subscribeAll(): Promise<void> {
    subscribing = false
    if (state.kind !== 'on') return
    const { client } = state
    const deaf = [...channels].flatMap(([channel, heard]) => (heard ? [] : [channel]))
    for (const channel of deaf) channels.set(channel, true)
    for (let i = 0; i < deaf.length; i += BATCH) {
      const batch = deaf.slice(i, i + BATCH)
      try {
        await client.subscribe(...batch)
      } catch {
        // Not allowed, or broken: either way this connection is of no use.
        return client.disconnect()
      }
      for (const channel of batch) onRing(channel)
    }
  }

  /** Leaves channels that nobody waited for the whole time since the last look. */
  function sweep(): void {
    const unwanted = [...channels.keys()].filter((channel) => !isWanted(channel))
    const leaving = unwanted.filter((channel) => idle.has(channel))
    idle = new Set(unwanted)
    for (const channel of leaving) channels.delete(channel)
    for (let i = 0; state.kind === 'on' && i < leaving.length; i += BATCH) {
      state.client.unsubscribe(...leaving.slice(i, i + BATCH)).catch(() => undefined)
    }
    if (channels.size > 0) return
    clearInterval(sweeper)
    sweeper = undefined
  }

  return {
    hear(channel) {
      idle.delete(channel)
      if (channels.has(channel) || state.kind === 'closed') return
      channels.set(channel, false)
      sweeper ??= setInterval(sweep, LINGER_MS).unref()
      if (state.kind === 'on') subscribeSoon()
      else if (state.kind === 'off') startSoon(0)
    },
    get listening() {
      return state.kind === 'on'
    },
    close() {
      const before = state
      state = { kind: 'closed' }
      clearInterval(sweeper)
      clearInterval(pulse)
      if (before.kind === 'waiting') clearTimeout(before.timer)
      if (before.kind === 'on' || before.kind === 'connecting') before.client.disconnect()
    },
  }
}
