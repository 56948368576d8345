import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CODE_MS, createCode, signInLink } from '../../../gateway/sign-in/codes.ts'
import { type Auth, createGateway, type GatewayOptions, jwtAuth } from '../../../gateway.ts'
import type { Agent, Store } from '../../../index.ts'
import { PeerMissing } from '../../../protocol/errors/peer-missing.ts'
import { sqliteStore } from '../../../sqlite.ts'
import type { Call, Command } from '../../command-line/command.ts'
import type { Context } from '../../command-line/context.ts'
import { errorLine } from '../../command-line/describe-error.ts'
import { CliError, UsageError } from '../../command-line/errors.ts'
import { packageFolder } from '../../command-line/package-folder.ts'
import { untilStopped } from '../../operate/until-stopped.ts'
import { visible } from '../../render/visible.ts'
import { dataFolder, makeDataFolder, storeFileIn } from '../../serving/data-folder.ts'
import { listen, toPort } from '../../serving/listen.ts'
import { runningIn, sayRunning } from '../../serving/running.ts'
import { linkOptions, personOf } from './link.ts'

/** Runs gateway, inbox and the demo's agents in one process. */
export const start: Command = {
  name: 'start',
  summary: 'open the inbox, with agents that ask for things',
  about:
    'Serves the inbox and its API on this machine, with an embedded store, and runs a small company of scripted agents that keep asking. The first line that it prints is an address that signs you in, once. Everything is in one folder: the same command goes on where the last one stopped, however that ended.',
  usage: '[--port N] [--data DIR] [--by NAME]',
  options: {
    port: {
      value: 'N',
      help: 'where to listen; 0: any that is free (default: PORT, else 4747 or the next that is free)',
    },
    host: { value: 'ADDRESS', help: 'which address to listen on (default: 127.0.0.1, this machine only)' },
    data: linkOptions.data,
    origin: {
      value: 'URL',
      multiple: true,
      help: 'an address under which browsers reach it, for example through a proxy',
    },
    demo: { value: 'MODE', help: 'on, fixed (nothing new comes) or off (default: HOLDPOINT_DEMO, else on)' },
    by: linkOptions.by,
  },
  storeless: true,
  positionals: { min: 0, max: 0 },
  examples: ['start', 'start --port 0 --data ./data', 'start --origin https://inbox.example.com'],
  async run(call) {
    const folder = dataFolder(call)
    const other = await runningIn(folder)
    if (other) return withSqlite(() => joinIn(call, folder, other.url))
    makeDataFolder(folder)
    const store = openStore(folder, { thread: true })
    try {
      return await withSqlite(() => runIn(call, folder, store))
    } finally {
      await store.close()
    }
  },
}

/** Somebody serves this folder already: a second process would only be in its way. */
async function joinIn(call: Call, folder: string, url: string): Promise<number> {
  const store = openStore(folder)
  try {
    const link = signInLink(url, await createCode(store, personOf(call)))
    call.context.out(call.flag('json') ? JSON.stringify({ link, url, data: folder }) : link)
    if (!call.flag('json'))
      call.context.out('', `holdpoint runs here already, at ${url}. The address above signs you in.`)
    return 0
  } finally {
    await store.close()
  }
}

async function runIn(call: Call, folder: string, store: Store): Promise<number> {
  const { context } = call
  const mode = demoMode(call)
  const company = mode === 'off' ? undefined : await loadCompany(folder)
  const gateway = createGateway({
    store,
    auth: authOf(context),
    inbox: true,
    operatorTenant: personOf(call).tenant,
    ...(company ? { agents: company.agents as GatewayOptions['agents'] & object } : {}),
    ...(call.texts('origin').length > 0 ? { origins: call.texts('origin') } : {}),
  })
  const stop = context.takeSignals()
  const server = await listen(gateway, {
    port: toPort(call.text('port') ?? context.settings.port),
    host: call.text('host') ?? '127.0.0.1',
  })
  const notRunning = sayRunning(folder, { pid: process.pid, url: server.url })
  try {
    await greet(call, { url: call.texts('origin')[0] ?? server.url, folder, store })
    const onError = (error: unknown) => context.err(errorLine(error))
    // Without the agents the inbox is still of use.
    const working = company?.run({ store, signal: stop.signal, fixed: mode === 'fixed', onError }).catch(onError)
    await untilStopped(stop.signal)
    await Promise.all([server.close(), working])
    return 0
  } finally {
    await server.close()
    notRunning()
    stop.release()
  }
}

/** The link comes first, alone on its line. */
async function greet(call: Call, { url, folder, store }: { url: string; folder: string; store: Store }): Promise<void> {
  const { out, style } = call.context
  const person = personOf(call)
  const link = signInLink(url, await createCode(store, person))
  if (call.flag('json')) return out(JSON.stringify({ link, url, data: folder }))
  out(link, '')
  out(
    `${style.bold('Open this address')}: it signs you in as ${visible(person.sub)}, once, within ${CODE_MS / 60_000} minutes.`,
  )
  out(`Another one: ${style.accent('npx holdpoint link')}. The data is in ${visible(folder)}.`)
  out('Ctrl-C stops it. The same command goes on where it stopped.')
}

function openStore(folder: string, { thread = false } = {}): Store {
  return sqliteStore({ path: storeFileIn(folder), thread })
}

/** Says how to get an SQLite where Node has none. The store looks for it when it is first used. */
async function withSqlite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PeerMissing) || !error.message.includes('libsql')) throw error
    throw new CliError(
      'peer_missing',
      'This Node has no SQLite of its own. Use Node 22.13 or newer, or add the package libsql: npx -p holdpoint -p libsql holdpoint start',
    )
  }
}

/** Bearer tokens are accepted if there is a secret to check them with. People sign in with links either way. */
function authOf({ settings: { jwtSecret } }: Context): Auth {
  if (jwtSecret !== undefined) return jwtAuth({ secret: jwtSecret })
  const detail =
    'Tokens are not accepted here: set HOLDPOINT_JWT_SECRET before holdpoint start. holdpoint link prints an address that signs in.'
  return { authenticate: async () => ({ ok: false, detail }) }
}

type DemoMode = 'on' | 'fixed' | 'off'

function demoMode(call: Call): DemoMode {
  const mode = call.text('demo') ?? call.context.settings.demo ?? 'on'
  if (mode !== 'on' && mode !== 'fixed' && mode !== 'off')
    throw new UsageError(`--demo is on, fixed or off, not '${mode}'`)
  return mode
}

/** `demo/inbox/main.js` describes the same for its side. */
interface Company {
  readonly agents: readonly Agent[]
  run(stage: { store: Store; signal: AbortSignal; fixed: boolean; onError(error: unknown): void }): Promise<void>
}

/** Loaded when it is needed: it is written with what `holdpoint` exports, and is no part of `dist/`. */
async function loadCompany(folder: string): Promise<Company> {
  const { createCompany } = (await import(pathToFileURL(join(packageFolder(), 'demo/inbox/main.js')).href)) as {
    createCompany(folder: string): Company
  }
  return createCompany(folder)
}
