import type { Logger } from '../../../gateway.ts'
import type { Store } from '../../../index.ts'
import { createWorker, type Queue, type ThreadWorker, type WorkerMetrics, workerMetrics } from '../../../worker.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { configOptions, readConfig, required } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import { type AgentsModule, loadAgentsModule } from '../../operate/agents-module.ts'
import { type HealthServer, serveHealth } from '../../operate/health-server.ts'
import { logLines } from '../../operate/log-lines.ts'
import { openConfigured } from '../../operate/open-places.ts'
import { openQueue } from '../../operate/open-queue.ts'
import { storeAnswers } from '../../operate/store-answers.ts'
import { storeCheck } from '../../operate/store-check.ts'
import { untilStopped } from '../../operate/until-stopped.ts'
import { workerLog } from '../../operate/worker-log.ts'
import { cannotListen } from '../../serving/listen.ts'

const GRACE_SECONDS = 30

/** Runs a worker: it drives the threads of a store with the agents of a module. */
export const worker: Command = {
  name: 'worker',
  summary: 'drive the threads of a store with your agents',
  about:
    'The module exports agents as its default, agent or agents; deps (live objects for tools, or a function that returns them) and policies (an array) are optional. Any number of workers may share a store. Each setting is a flag, a variable or a line of the configuration file; flags win over variables, which win over the file. It logs JSON lines. After SIGTERM it takes nothing new, lets tools that run finish, hands its threads over and ends with 0; a second signal ends it at once.',
  usage: '--agents FILE --store PLACE [--queue URL] [options]',
  options: configOptions('worker'),
  storeless: true,
  positionals: { min: 0, max: 0 },
  examples: ['worker --agents ./agents.js --store postgres://… --queue redis://…'],
  async run(call) {
    const { config, secrets } = await readConfig(call, 'worker')
    const { context } = call
    const fields = { role: 'worker', pid: process.pid }
    const level = config.logLevel ?? 'info'
    const logger = logLines({ level, fields, secrets, now: context.now, write: context.out })
    const module = await loadAgentsModule(call, required(config, 'agents', 'worker'))
    const onWarning = ({ code, message }: { code: string; message: string }) => logger.warn({ code }, message)
    const store = await openConfigured(call, { config, role: 'worker', onWarning })
    const queue = openQueue(config)
    try {
      return await run(call, config, { module, store, queue, logger })
    } finally {
      await queue.close()
      await store.close()
    }
  },
}

interface Parts {
  readonly module: AgentsModule
  readonly store: Store
  readonly queue: Queue
  readonly logger: Logger
}

async function run({ context }: Call, config: Config, parts: Parts): Promise<number> {
  const { logger } = parts
  const metrics = workerMetrics(parts.store)
  const working = makeWorker(config, parts, metrics)
  const stop = context.takeSignals()
  const health = await startHealth(config, { ...parts, metrics, working })
  try {
    await storeAnswers(parts.store, { logger, startSeconds: config.startSeconds, signal: stop.signal })
    if (stop.signal.aborted) return 0
    await working.start()
    const { id, routes } = working.status()
    logger.info({ id, routes, ...(health ? { health: health.url } : {}) }, 'the worker takes threads')
    await untilStopped(stop.signal)
    const { graceSeconds = GRACE_SECONDS } = config
    logger.info({ graceSeconds, active: working.status().active }, 'the worker ends after a signal')
    await working.stop({ graceMs: graceSeconds * 1000 })
    logger.info({}, 'the worker has ended')
    return 0
  } finally {
    await health?.close()
    stop.release()
  }
}

function makeWorker(config: Config, { module, queue, logger }: Parts, metrics: WorkerMetrics): ThreadWorker {
  const { concurrency, perTenant, leaseSeconds, retries, retention } = config
  const log = workerLog(logger)
  return createWorker({
    ...module,
    queue,
    store: metrics.store,
    onEvent: (event) => {
      metrics.onEvent(event)
      log(event)
    },
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(perTenant === undefined ? {} : { perTenant }),
    ...(leaseSeconds === undefined ? {} : { leaseMs: leaseSeconds * 1000 }),
    ...(retries === undefined ? {} : { retries }),
    ...(retention === undefined ? {} : { retention }),
  })
}

async function startHealth(
  { healthPort: port, healthHost: host = '127.0.0.1', metricsToken }: Config,
  { store, logger, metrics, working }: Parts & { metrics: WorkerMetrics; working: ThreadWorker },
): Promise<HealthServer | undefined> {
  if (port === undefined) return undefined
  const checkStore = storeCheck(store, logger)
  const health = {
    metricsToken,
    onError: () => logger.error({}, 'a request at the health port failed'),
    metrics: async () => ({ type: metrics.contentType, text: await metrics.text(working.status()) }),
    async readiness() {
      const { state } = working.status()
      const checks = { store: await checkStore() }
      if (state === 'draining' || state === 'stopped') return { status: 'stopping', checks } as const
      const isReady = state === 'running' && checks.store === 'ok'
      return { status: isReady ? 'ok' : 'unavailable', checks } as const
    },
  }
  return serveHealth(health, { port, host }).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, { port, host, flags: { port: '--health-port', host: '--health-host' } })
  })
}
