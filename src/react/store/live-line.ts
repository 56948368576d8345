import type { LiveEvents, LiveState } from '../../client/v1/live.ts'
import type { LiveEvent } from '../../protocol/api/records.ts'
import type { InboxApi } from '../inbox-api.ts'
import { Watchers } from './watchers.ts'

/** Whether what is shown follows the server. `ended`: the sign-in ended, and nothing more comes. */
export type LineState = 'connecting' | 'live' | 'offline' | 'ended'

/** The live connection of a window. */
export class LiveLine {
  readonly #api: Pick<InboxApi, 'events'>
  readonly #onEvent: (event: LiveEvent) => void
  readonly #watchers = new Watchers()
  #events: LiveEvents | undefined
  #state: LineState = 'connecting'

  constructor(api: Pick<InboxApi, 'events'>, onEvent: (event: LiveEvent) => void) {
    this.#api = api
    this.#onEvent = onEvent
  }

  get snapshot(): LineState {
    return this.#state
  }

  readonly watch = (listener: () => void): (() => void) => this.#watchers.add(listener)

  /** Tries to connect at once. */
  readonly retry = (): void => this.#events?.retryNow()

  /** Opens the connection. Returns how to close it. */
  open(): () => void {
    let closed = false
    const events = this.#api.events({
      onEvent: (event) => {
        if (!closed) this.#onEvent(event)
      },
      onState: (state) => {
        if (!closed) this.#become(lineState(state))
      },
    })
    this.#events = events
    const unwatch = watchNetwork(() => events.retryNow())
    return () => {
      closed = true
      unwatch()
      if (this.#events === events) this.#events = undefined
      events.close()
    }
  }

  #become(state: LineState): void {
    if (state === this.#state) return
    this.#state = state
    this.#watchers.tell()
  }
}

/**
 * Tells when the device's network comes or goes, where there is such an event. What it says is only a reason to look: a gateway on the same machine is
 * reached without any network.
 */
function watchNetwork(onChange: () => void): () => void {
  const { addEventListener, removeEventListener } = globalThis as Partial<EventTarget>
  if (!addEventListener || !removeEventListener) return () => undefined
  for (const type of ['online', 'offline']) addEventListener.call(globalThis, type, onChange)
  return () => {
    for (const type of ['online', 'offline']) removeEventListener.call(globalThis, type, onChange)
  }
}

function lineState(state: LiveState): LineState {
  switch (state) {
    case 'connecting':
    case 'live':
      return state
    case 'waiting':
      return 'offline'
    case 'closed':
      return 'ended'
    default:
      return state satisfies never
  }
}
