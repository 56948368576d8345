import { backOffMs } from './back-off.ts'
import type { Connections } from './connection.ts'
import type { PgLoneClient, PgNotification } from './driver.ts'
import { channelOf } from './place.ts'

/**
 * The connection on which a process is notified of writes by others. It is opened for the first waiter and reopened when it breaks. Notifications in
 * between are lost, so `onReady` is called each time.
 */
export interface Listener {
  /** There are waiters: connects if needed, and keeps the process alive. */
  start(): void
  /** There are no waiters: the connection stays, but lets the process end. */
  rest(): void
  /** Whether it is connected and listens. */
  readonly listening: boolean
  close(): Promise<void>
}

/** Callbacks of a listener. */
export interface ListenerOptions {
  connections: Connections
  /** Called when it listens: from now on no notification is missed. */
  onReady(): void
  onMessage(payload: string): void
}

type State =
  | { kind: 'off' }
  | { kind: 'connecting' }
  | { kind: 'on'; client: PgLoneClient }
  | { kind: 'waiting'; timer: NodeJS.Timeout }
  | { kind: 'closed' }

/** Creates a listener that is not connected yet. */
export function createListener({ connections, onReady, onMessage }: ListenerOptions): Listener {
  let state: State = { kind: 'off' }
  let wanted = false
  let tries = 0
  let connecting: Promise<void> = Promise.resolve()

  async function connect(): Promise<void> {
    state = { kind: 'connecting' }
    let client: PgLoneClient | undefined
    try {
      client = await connections.lone()
      if (!client) return
      await subscribe(client)
      if ((state as State).kind === 'closed') return await client.end()
      state = { kind: 'on', client }
      tries = 0
      if (!wanted) client.unref()
      onReady()
    } catch {
      // Polling finds missed writes and reports the problem of the database.
      client?.end().catch(() => undefined)
      retryLater()
    }
  }

  async function subscribe(client: PgLoneClient): Promise<void> {
    const lost = () => {
      if (state.kind === 'on' && state.client === client) retryLater()
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', (message) => onMessage((message as PgNotification).payload ?? ''))
    await client.connect()
    await client.query({
      text: `LISTEN "${channelOf(connections.place.schema)}"`,
      types: { getTypeParser: () => String },
    })
  }

  function retryLater(): void {
    if (state.kind === 'closed') return
    state = { kind: 'off' }
    if (!wanted) return
    const timer = setTimeout(() => {
      connecting = connect()
    }, backOffMs(tries++))
    state = { kind: 'waiting', timer }
  }

  return {
    start() {
      wanted = true
      if (state.kind === 'on') state.client.ref()
      if (state.kind === 'off') connecting = connect()
    },
    rest() {
      wanted = false
      if (state.kind === 'on') state.client.unref()
      if (state.kind === 'waiting') {
        clearTimeout(state.timer)
        state = { kind: 'off' }
      }
    },
    get listening() {
      return state.kind === 'on'
    },
    async close() {
      const before = state
      state = { kind: 'closed' }
      if (before.kind === 'waiting') clearTimeout(before.timer)
      if (before.kind === 'on') {
        // While unreferenced it would let the process end before the connection is closed.
        before.client.ref()
        await before.client.end().catch(() => undefined)
      }
      await connecting
    },
  }
}
