import { createRequire } from 'node:module'
import type * as Bullmq from 'bullmq'
import type { Cluster, Redis, RedisOptions } from 'ioredis'
import { parseClusterAddress } from '../../protocol/checks/cluster-address.ts'
import { peerFailure } from '../../protocol/errors/peer-missing.ts'
import { connectPatiently, type PatientOptions } from './patient.ts'

/**
 * How Redis is reached: a url (of a Cluster: `redis+cluster://a:7000,b:7000`), options of ioredis, or a client of the application, also of a
 * Cluster, which is used as it is and never closed.
 */
export type RedisConnection = string | PlainOptions | Redis | Cluster

/** BullMQ reads replies as Redis sends them. */
type PlainOptions = Omit<RedisOptions, 'replyMapping'>

/** BullMQ, and the clients that a queue uses. */
export interface Connections {
  readonly bullmq: typeof Bullmq
  /** Whether keys are spread over nodes. */
  readonly isCluster: boolean
  /** The client for rings. */
  readonly ringing: Redis | Cluster
  /** A new client for a consumer. The caller closes it. Once the signal fires, a connection that fails is not tried again. */
  consuming(ended: AbortSignal): ConsumerClient
  /** Closes what was made here. */
  close(): void
}

/** The client that the BullMQ workers of a consumer share. */
export interface ConsumerClient {
  readonly client: Redis | Cluster
  /**
   * Resolves when neither the client nor one of its copies (BullMQ makes one for each worker) waits to connect again. Closing such a connection
   * stops its timer, and then ioredis never reports its end, which a BullMQ worker waits for before it stops its own timers.
   */
  settled(): Promise<void>
}

const retryMs = (times: number): number => Math.min(100 * 2 ** (times - 1), 1000)
const RETRY = { connectTimeout: 3000, retryStrategy: retryMs }
/** Commands give up after some reconnects: a ring has a deadline, and what waits for Redis must not grow. */
const RINGING = { ...RETRY, maxRetriesPerRequest: 3 }

interface ClientOptions {
  readonly connectTimeout: number
  readonly retryStrategy: (times: number) => number | null
  readonly maxRetriesPerRequest: number | null
}

/** BullMQ asks for no limit of retries where it blocks. */
function consumingOptions(ended: AbortSignal): ClientOptions {
  return { ...RETRY, maxRetriesPerRequest: null, retryStrategy: (times) => (ended.aborted ? null : retryMs(times)) }
}

/** Not with `import()`, because queues are made synchronously. */
function load(): { bullmq: typeof Bullmq; ioredis: typeof import('ioredis') } {
  const require = createRequire(import.meta.url)
  try {
    return { bullmq: require('bullmq'), ioredis: require('ioredis') }
  } catch (error) {
    throw peerFailure('bullmqQueue', 'bullmq ioredis', error)
  }
}

/** Connects on first use. */
export function connect(connection: RedisConnection): Connections {
  const { bullmq, ioredis } = load()

  function make(options: ClientOptions): Redis | Cluster {
    const client = makeClient(options)
    // Rings reject, and consumers are told by BullMQ; without a listener ioredis would print.
    client.on('error', () => undefined)
    return client
  }

  const cluster = typeof connection === 'string' ? parseClusterAddress(connection) : undefined

  function makeClient(options: ClientOptions): Redis | Cluster {
    if (cluster) {
      const { redisOptions, ...rest } = clusterOptions(options)
      return new ioredis.Cluster(cluster.nodes, {
        ...{ ...rest, ...cluster.dns, slotsRefreshTimeout: options.connectTimeout },
        redisOptions: { ...redisOptions, ...cluster.login },
      })
    }
    if (typeof connection === 'string') return new ioredis.Redis(connection, { ...options, lazyConnect: true })
    if (!isClient(connection)) return new ioredis.Redis({ ...connection, ...options, lazyConnect: true })
    if (!connection.isCluster) return (connection as Redis).duplicate({ ...options, lazyConnect: true })
    return (connection as Cluster).duplicate([], clusterOptions(options))
  }

  const brought = typeof connection !== 'string' && isClient(connection) ? connection : undefined
  const ringing = brought ?? make(RINGING)
  return {
    bullmq,
    isCluster: ringing.isCluster,
    ringing,
    consuming: (ended) => withCopies(make(consumingOptions(ended)), { signal: ended, retryMs }),
    close: () => {
      if (!brought) ringing.disconnect()
    },
  }
}

function clusterOptions({ connectTimeout, maxRetriesPerRequest, retryStrategy }: ClientOptions) {
  return {
    clusterRetryStrategy: retryStrategy,
    redisOptions: { connectTimeout, maxRetriesPerRequest },
    lazyConnect: true,
  }
}

function isClient(connection: PlainOptions | Redis | Cluster): connection is Redis | Cluster {
  return typeof (connection as Redis).duplicate === 'function'
}

function withCopies(made: Redis | Cluster, options: PatientOptions): ConsumerClient {
  const client = connectPatiently(made, options)
  const connections = [client]
  const duplicate = client.duplicate.bind(client) as (...given: unknown[]) => Redis | Cluster
  client.duplicate = (...given: unknown[]) => {
    const copy = connectPatiently(duplicate(...given), options)
    connections.push(copy)
    return copy as never
  }
  return { client, settled: async () => void (await Promise.all(connections.map(tried))) }
}

async function tried(connection: Redis | Cluster): Promise<void> {
  if (connection.status !== 'reconnecting') return
  await new Promise<void>((resolve) => connection.once('ready', resolve).once('end', resolve))
}
