import type { Cluster, Redis } from 'ioredis'
import { pause } from '../../ports/clock.ts'

/** How long to be patient. */
export interface PatientOptions {
  readonly signal: AbortSignal
  /** How long to wait after this many attempts. */
  readonly retryMs: (times: number) => number
}

/**
 * Makes `connect()` of a Cluster client wait until it is ready, or until the signal fires. A BullMQ worker whose first attempt rejects asks again
 * without a pause, and blocks the process. One that loses all nodes disconnects the client for good and tries once more: if that attempt fails,
 * nobody tries again. A client of one server is left as it is: BullMQ knows its errors.
 */
export function connectPatiently<T extends Redis | Cluster>(client: T, { signal, retryMs }: PatientOptions): T {
  if (!client.isCluster) return client
  const connect = client.connect.bind(client)
  let connecting: Promise<void> | undefined

  /** What goes wrong is told by events. A promise of ioredis may stay open for ever: if the Cluster says that it is not ready. */
  const attempt = (): Promise<void> => connect().catch(() => undefined)

  async function untilReady(first: Promise<void>): Promise<void> {
    await Promise.race([first, pause(retryMs(1), { signal })])
    let before = ''
    for (let times = 1; client.status !== 'ready'; times++) {
      await pause(retryMs(times), { signal })
      if (signal.aborted) throw new Error('Connection is closed.')
      const { status } = client
      // In other states ioredis tries by itself. It passes `close` at once, except that a node which closes late can leave it there.
      if (status === 'wait' || status === 'end' || (status === 'close' && before === status)) void attempt()
      before = status
    }
  }

  client.connect = () => {
    const first = attempt()
    connecting ??= untilReady(first).finally(() => {
      connecting = undefined
    })
    return connecting
  }
  endWithoutNodes(client as Cluster)
  return client
}

/** A Cluster client ends when its last node has closed. If it has none when it is disconnected, it never would, and a BullMQ worker waits for it. */
function endWithoutNodes(client: Cluster): void {
  const disconnect = client.disconnect.bind(client)
  client.disconnect = (reconnect = false) => {
    const isEmpty = client.nodes().length === 0
    disconnect(reconnect)
    if (reconnect || !isEmpty || client.status !== 'disconnecting') return
    client.status = 'end'
    process.nextTick(() => client.status === 'end' && client.emit('end'))
  }
}
