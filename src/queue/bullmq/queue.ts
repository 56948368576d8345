import type { Queue } from '../../ports/queue.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { checkRedisAddress } from '../../protocol/checks/server-address.ts'
import { InputInvalid, QueueFailed } from '../../protocol/errors/errors.ts'
import { checkRing } from '../shared/check.ts'
import { withDeadline } from '../shared/deadline.ts'
import { checkTimes, type EngineTimes, TIMES } from '../shared/options.ts'
import { connect, type RedisConnection } from './connection.ts'
import { BullmqConsumer } from './consumer.ts'
import { createKeys } from './keys.ts'
import { Rings } from './rings.ts'

/** Options of {@link bullmqQueue}. */
export interface BullmqQueueOptions extends EngineTimes {
  connection: RedisConnection
  /**
   * The beginning of all keys. In a Cluster, routes are spread over the nodes; a part in braces keeps all of them on one. Default `{holdpoint}`, in a
   * Cluster `holdpoint`.
   */
  prefix?: string
}

/**
 * A queue on Redis, by BullMQ (`npm install bullmq ioredis`). Redis may forget: with its default settings it loses a second of rings when it
 * crashes. A worker finds the threads again by the store's wake marks.
 */
export function bullmqQueue(options: BullmqQueueOptions): Queue {
  const { connection, prefix } = check(options)
  const times = checkTimes(options)
  const connections = connect(connection)
  const keys = createKeys(prefix, connections)
  const rings = new Rings(connections, keys)
  const consumers = new Set<BullmqConsumer>()
  let closing: Promise<void> | undefined

  function requireOpen(): void {
    if (closing !== undefined) throw new QueueFailed('This queue is closed; create a new one.')
  }

  async function close(): Promise<void> {
    await Promise.all([...consumers].map((consumer) => consumer.stop()))
    connections.close()
  }

  return {
    async ring(given, ringOptions) {
      requireOpen()
      const { wakeUp, delayMs } = checkRing(given, ringOptions)
      const deadline = { timeoutMs: times.timeoutMs, signal: ringOptions?.signal }
      try {
        await withDeadline(rings.add(wakeUp, delayMs), 'The ring did not reach Redis', deadline)
      } catch (error) {
        rings.forget(wakeUp.route)
        throw error
      }
    },
    async consume(consumeOptions) {
      requireOpen()
      const consumer = new BullmqConsumer({ connections, keys, times }, consumeOptions)
      consumers.add(consumer)
      return { stop: () => consumer.stop().finally(() => consumers.delete(consumer)) }
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

function check(options: BullmqQueueOptions | undefined): BullmqQueueOptions {
  requireKnown('bullmqQueue()', options, ['connection', 'prefix', ...TIMES])
  if (!options?.connection)
    throw new InputInvalid('bullmqQueue() needs a connection: a url, options of ioredis, or a client')
  if (typeof options.connection === 'string') checkRedisAddress('connection', options.connection)
  return options
}
