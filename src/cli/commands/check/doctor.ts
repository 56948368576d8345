import type { StoreWarning } from '../../../sqlite.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { configOptions, readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import { checked, type Finding, ok, warning } from '../../doctor/finding.ts'
import { checkNode, checkPort } from '../../doctor/machine.ts'
import { checkNotifications, type Route } from '../../doctor/notifications.ts'
import { checkPackages } from '../../doctor/packages.ts'
import { checkServer, checkTables, withPostgres } from '../../doctor/postgres.ts'
import { checkQueueTables } from '../../doctor/postgres-queue.ts'
import { checkRedis } from '../../doctor/redis.ts'
import { checkWritable } from '../../doctor/store-file.ts'
import { hiding } from '../../operate/log-lines.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { withStore } from '../../store/open-store.ts'
import { isPostgres, storePlace } from '../../store/store-place.ts'

const { listen, streams, port, host, retention, config } = configOptions('serve')
const { queue, 'queue-schema': queueSchema, 'health-port': healthPort } = configOptions('worker')

/** Checks everything that `serve` and `worker` need. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check store, queue, streams, settings, clocks and ports',
  about:
    'It reads the configuration of serve and worker. Each line is ok, warn (it works, and may lose something) or fail, with what to do. The exit code is 1 if something fails, or is less durable than it should be.',
  usage: '[--store PLACE] [--queue URL] [--streams URL] [--port N]',
  options: {
    listen: listen!,
    queue: queue!,
    'queue-schema': queueSchema!,
    streams: streams!,
    port: port!,
    host: host!,
    'health-port': healthPort!,
    retention: retention!,
    config: config!,
  },
  positionals: { min: 0, max: 0 },
  examples: ['doctor', 'doctor --store postgres://… --queue redis://… --json'],
  async run(call) {
    const serve = await readConfig(call, 'serve')
    const worker = await readConfig(call, 'worker')
    const hide = hiding([...serve.secrets, ...worker.secrets])
    const found = await examine(call, { ...serve.config, ...worker.config })
    const findings = found.map((each) => ({ ...each, message: hide(each.message) }))
    const isOk = findings.every(({ level }) => level === 'ok')
    const { context } = call
    if (call.flag('json')) context.out(safeJson({ ok: isOk, findings }))
    else for (const finding of findings) context.out(...linesOf(call, finding))
    return isOk ? 0 : 1
  },
}

async function examine(call: Call, settings: Config): Promise<Finding[]> {
  const {
    streams: streamsUrl,
    queue: queueUrl,
    port: servePort,
    host: serveHost = '127.0.0.1',
    healthPort: health,
  } = settings
  const ports = [
    ...(servePort ? [checkPort(servePort, serveHost)] : []),
    ...(health ? [checkPort(health, settings.healthHost ?? '127.0.0.1')] : []),
  ]
  const groups = await Promise.all([
    [checkNode(process.version)],
    checkStore(call, settings),
    queueUrl === undefined ? [] : checkQueue(call, queueUrl, settings),
    checkPackages(settings),
    streamsUrl === undefined ? [] : checked('streams', REACH, () => checkRedis(streamsUrl, 'streams')),
    Promise.all(ports),
  ])
  return groups.flat()
}

const REACH = 'Check the address, the network, and user and password.'

async function checkQueue(call: Call, url: string, config: Config): Promise<readonly Finding[]> {
  if (!isPostgres(url)) return checked('queue', REACH, () => checkRedis(url, 'queue'))
  const { store, migrate, retention, queueSchema = 'holdpoint_queue', schema: storeSchema = 'holdpoint' } = config
  const place = {
    ...{ schema: queueSchema, storeSchema, isOfStore: url === store, creates: migrate !== 'never' },
    ...{ store: storeOption(call, url), erases: retention !== undefined },
  }
  const found = await checked('queue', REACH, () =>
    withPostgres(url, async (client) => [
      ...(await checkServer(client, 'queue')),
      ...(await checkQueueTables(client, place)),
    ]),
  )
  // In the store's database it listens where the store does.
  return url === store
    ? found
    : andNotifications(found, { connectionString: url, listen: undefined, mayGoRound: false }, 'queue')
}

async function checkStore(call: Call, config: Config): Promise<readonly Finding[]> {
  const { store, schema, retention, listen } = config
  const named = atStore(call, store)
  const { at, shown } = storePlace(named)
  if (at.kind === 'postgres') {
    const found = await checked('store', REACH, () =>
      withPostgres(at.url, async (client) => [
        ...(await checkServer(client, 'store')),
        ...(await checkTables(client, {
          schema: schema ?? at.schema ?? 'holdpoint',
          erases: retention !== undefined,
          store: storeOption(call, at.url),
        })),
      ]),
    )
    return andNotifications(found, { connectionString: at.url, listen, mayGoRound: true }, 'store')
  }
  return checked('store', 'Name the store with --store or HOLDPOINT_STORE.', async () => {
    const unwritable = checkWritable(at.path, shown)
    if (unwritable) return [unwritable]
    const warnings: StoreWarning[] = []
    await withStore(
      named,
      (opened) => opened.threads({ limit: 1 }),
      (each) => warnings.push(each),
    )
    const advice = 'Put the file on a local disk, or use Postgres.'
    return [
      ok('store', `The store at ${shown} opens, and its tables fit`),
      ...(warnings.length === 0 ? [ok('store durability', 'the file is on a file system that keeps it')] : []),
      ...warnings.map(({ code, message }) => warning('store durability', `${message} [${code}]`, advice)),
    ]
  })
}

/** The call with a store as if a flag had named it. */
function atStore(call: Call, store: string | undefined): Call {
  return { ...call, text: (name) => (name === 'store' ? (store ?? call.text(name)) : call.text(name)) }
}

/** The option with which other commands find a database, without its password. */
function storeOption({ context }: Call, url: string): string {
  const none = { context, args: [], texts: () => [], flag: () => false }
  return storePlace({ ...none, text: (name) => (name === 'store' ? url : undefined) }).option
}

/** A server that does not answer is told once. */
async function andNotifications(found: readonly Finding[], route: Route, what: string): Promise<readonly Finding[]> {
  const answers = found.some((each) => each.what === what && each.level === 'ok')
  return answers ? [...found, ...(await checkNotifications(route, what))] : found
}

function linesOf({ context: { style } }: Call, { level, what, message, advice }: Finding): string[] {
  const mark = { ok: style.good('ok  '), warn: style.accent('warn'), fail: style.bad('fail') }[level]
  return [`${mark}  ${what}: ${visible(message)}`, ...(advice === undefined ? [] : [`      ${advice}`])]
}
