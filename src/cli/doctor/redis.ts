import type { Cluster, Redis } from 'ioredis'
import { parseClusterAddress } from '../../protocol/checks/cluster-address.ts'
import { peerFailure } from '../../protocol/errors/peer-missing.ts'
import { checkClock } from './clock.ts'
import { checked, type Finding, failure, ok, warning } from './finding.ts'

const OLDEST = [6, 2] as const
const TIMEOUT_MS = 5000

/** What Redis is used for, which says how durable it must be. */
export type RedisUse = 'queue' | 'streams'

const CLIENT = {
  connectTimeout: TIMEOUT_MS,
  commandTimeout: TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
}

/** Checks a Redis, or each primary of a Cluster: whether it answers, its version, clock, and what it forgets. */
export async function checkRedis(url: string, use: RedisUse): Promise<Finding[]> {
  const ioredis = await import('ioredis').catch((error: unknown) => {
    throw peerFailure('holdpoint doctor', 'ioredis', error)
  })
  const cluster = parseClusterAddress(url)
  if (!cluster) return withClient(new ioredis.Redis(url, { ...CLIENT, lazyConnect: true }), (one) => look(one, use))
  const client = new ioredis.Cluster(cluster.nodes, {
    ...{ ...cluster.dns, lazyConnect: true, enableReadyCheck: false, slotsRefreshTimeout: TIMEOUT_MS },
    clusterRetryStrategy: () => null,
    redisOptions: { ...CLIENT, ...cluster.login },
  })
  return withClient(client, (all) => lookAtCluster(all, use))
}

async function withClient<T extends Redis | Cluster>(client: T, check: (client: T) => Promise<Finding[]>) {
  let cause: Error | undefined
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    cause = error.lastNodeError ?? error
  })
  try {
    await client.connect().catch((error: Error) => {
      throw cause ?? error
    })
    return await check(client)
  } finally {
    client.disconnect()
  }
}

/** What all nodes have in common is said once. */
async function lookAtCluster(client: Cluster, use: RedisUse): Promise<Finding[]> {
  const info = String(await client.cluster('INFO'))
  const primaries = client.nodes('master')
  const isOk = info.includes('cluster_state:ok')
  const size = `${primaries.length} primaries, ${client.nodes('slave').length} replicas`
  const advice = 'Start this node, or let a replica take over.'
  const findings = await Promise.all(primaries.map((node) => checked(use, advice, () => look(node, use))))
  const once = new Map(findings.flat().map((each) => [JSON.stringify(each), each]))
  return [
    isOk
      ? ok(`${use} cluster`, `all slots are served (${size})`)
      : failure(
          `${use} cluster`,
          `Slots are not served (${size}).`,
          'Start the missing nodes: redis-cli --cluster check.',
        ),
    ...once.values(),
  ]
}

async function look(client: Redis, use: RedisUse): Promise<Finding[]> {
  const version = /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? '0'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const before = Date.now()
  const [seconds, micros] = (await client.time()) as unknown as [number | string, number | string]
  const server = Number(seconds) * 1000 + Number(micros) / 1000
  const isNew = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  return [
    isNew
      ? ok(use, `Redis ${version} answers`)
      : failure(use, `This is Redis ${version}.`, `Use Redis ${OLDEST.join('.')} or newer.`),
    // The server's time is cut off to whole milliseconds here and there.
    checkClock(`${use} clock`, { before, server, after: Date.now() }),
    ...(await checkSettings(client, use)),
  ]
}

async function checkSettings(client: Redis, use: RedisUse): Promise<Finding[]> {
  const what = `${use} durability`
  const read = async (name: string) => pairOf(await client.config('GET', name))
  try {
    const [append, sync, policy] = await Promise.all([
      read('appendonly'),
      read('appendfsync'),
      read('maxmemory-policy'),
    ])
    const evicts = policy !== undefined && policy !== 'noeviction'
    return [
      ...(evicts
        ? [warning(what, `maxmemory-policy = ${policy}: a full Redis drops keys.`, 'Set maxmemory-policy noeviction.')]
        : []),
      durabilityOf(use, append === 'yes' ? sync : undefined),
    ]
  } catch {
    return [
      warning(
        what,
        'CONFIG GET is not allowed, so the settings are not known.',
        "Look at appendonly and appendfsync in the provider's console.",
      ),
    ]
  }
}

/** `sync`: when what was written is synced; `undefined`: never. */
function durabilityOf(use: RedisUse, sync: string | undefined): Finding {
  const what = `${use} durability`
  if (use === 'queue') {
    if (sync !== undefined)
      return ok(what, `appendonly is on (appendfsync ${sync}); the store remembers what a queue forgets`)
    return warning(
      what,
      'appendonly = no: a restart forgets wake-ups, and workers find their threads a second later in the store.',
      'Nothing is lost. Set appendonly yes to resume sooner after a restart.',
    )
  }
  if (sync === 'always') return ok(what, 'appendonly is on, appendfsync always')
  if (sync === undefined)
    return warning(
      what,
      'appendonly = no: a restart loses open message streams.',
      'Set appendonly yes, and appendfsync always.',
    )
  return warning(
    what,
    `appendfsync = ${sync}: a power cut loses the last second of messages.`,
    'Set appendfsync always if answers on streams must survive that.',
  )
}

/** Drivers answer with an array or an object, by the protocol. */
function pairOf(answer: unknown): string | undefined {
  if (Array.isArray(answer)) return answer[1] as string | undefined
  return Object.values((answer ?? {}) as Record<string, string>)[0]
}
