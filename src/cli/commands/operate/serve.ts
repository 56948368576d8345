import { createGateway, type GatewayOptions, type Logger } from '../../../gateway.ts'
import type { Store, Streams } from '../../../index.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { configOptions, type ReadConfig, readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import { loadGatePolicy } from '../../gate/gate-policy.ts'
import { serveGates } from '../../gate/serve-gates.ts'
import { loadAgentsModule } from '../../operate/agents-module.ts'
import { logLines } from '../../operate/log-lines.ts'
import { authOf, openConfigured, openStreams } from '../../operate/open-places.ts'
import { storeAnswers } from '../../operate/store-answers.ts'
import { untilStopped } from '../../operate/until-stopped.ts'
import { listen } from '../../serving/listen.ts'

const USUAL_PORT = 4747
const GRACE_SECONDS = 10

/** Runs a gateway with the inbox for a team: no demo, no agents. */
export const serve: Command = {
  name: 'serve',
  summary: 'serve the gateway and the inbox of a store, for a team',
  about:
    'Records deadlines and sends webhooks, too. Any number may serve the same store. Each setting is a flag, a variable or a line of the configuration file; flags win over variables, which win over the file. Secrets have no flag: HOLDPOINT_JWT_SECRET, HOLDPOINT_METRICS_TOKEN. It logs JSON lines. After SIGTERM it answers what is under way and ends with 0; a second signal ends it at once.',
  usage: '--store PLACE [--port N] [options]',
  options: configOptions('serve'),
  storeless: true,
  positionals: { min: 0, max: 0 },
  examples: ['serve --store postgres://… --origin https://inbox.example.com'],
  async run(call) {
    const read = await readConfig(call, 'serve')
    const logger = loggerOf(call, read)
    const { config } = read
    const auth = authOf(config)
    const policy = config.gatePolicy === undefined ? undefined : await loadGatePolicy(call, config.gatePolicy)
    const previews = config.agents === undefined ? undefined : await loadAgentsModule(call, config.agents)
    const onWarning = (fields: { code: string; message: string }) => logger.warn({ code: fields.code }, fields.message)
    const store = await openConfigured(call, { config, role: 'serve', onWarning })
    const streams = openStreams(config)
    const gates = policy && serveGates(policy, { store, logger })
    try {
      return await run(call, config, {
        store,
        auth,
        logger,
        ...(streams ? { streams } : {}),
        ...(gates ? { gate: gates.gate } : {}),
        ...(previews ? { agents: previews.agents, deps: previews.deps } : {}),
      })
    } finally {
      await gates?.stop()
      await streams?.shutdown()
      await store.close()
    }
  },
}

function loggerOf({ context }: Call, { config: { logLevel = 'info' }, secrets }: ReadConfig): Logger {
  const fields = { role: 'serve', pid: process.pid }
  return logLines({ level: logLevel, fields, secrets, now: context.now, write: context.out })
}

async function run(
  { context }: Call,
  config: Config,
  given: GatewayOptions & { store: Store; streams?: Streams; logger: Logger },
): Promise<number> {
  const { basePath, addressHeader, operatorTenant, metricsToken, origins, retention, inbox = 'on' } = config
  const gateway = createGateway({
    ...given,
    inbox: inbox === 'on',
    ...defined({ basePath, addressHeader, operatorTenant, metricsToken, origins, retention }),
  })
  const { logger } = given
  const stop = context.takeSignals()
  try {
    const { port = USUAL_PORT, host = '127.0.0.1', graceSeconds = GRACE_SECONDS } = config
    const server = await listen(gateway, { port, host, graceSeconds })
    try {
      await storeAnswers(given.store, { logger, startSeconds: config.startSeconds, signal: stop.signal })
      await untilStopped(stop.signal)
      logger.info({ graceSeconds }, 'the gateway ends after a signal')
    } finally {
      await server.close()
    }
    logger.info({}, 'the gateway has ended')
    return 0
  } finally {
    stop.release()
  }
}

/** Without the fields that are `undefined`. */
function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
