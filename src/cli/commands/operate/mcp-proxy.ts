import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { createGate } from '../../../gate.ts'
import { type Auth, jwtAuth, type Logger } from '../../../gateway.ts'
import type { Store } from '../../../index.ts'
import { createMcpProxy, type McpProxy, pinnedDefinitions } from '../../../mcp.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { CliError } from '../../command-line/errors.ts'
import { throughDoors } from '../../gate/store-gate.ts'
import { doorsOf, selfApproval } from '../../mcp-proxy/doors.ts'
import { type ProxyConfig, readProxyConfig } from '../../mcp-proxy/proxy-config.ts'
import { logLines } from '../../operate/log-lines.ts'
import { untilStopped } from '../../operate/until-stopped.ts'
import { auditKeysOf } from '../../store/audit-keys.ts'
import { fileOpens, openStore } from '../../store/open-store.ts'
import { storePlace } from '../../store/store-place.ts'

/** Runs the approval proxy for MCP. */
export const mcpProxy: Command = {
  name: 'mcp-proxy',
  summary: 'hold calls of MCP tools until people decide',
  about:
    'Serves the client that starts it, over stdio; with "http" in its configuration, any number of clients at a port, by bearer token (HOLDPOINT_JWT_SECRET or jwksUrl). The definitions of tools are pinned when a server is first listed; calls of changed tools are held. On stdio, calls are decided by people who signed in to the inbox, and not by commands: "via" in its configuration names other doors. It logs JSON lines to stderr. It may be killed at any time: requests and results are in the store.',
  usage: '--config FILE [--pin]',
  options: {
    config: { value: 'FILE', help: 'servers, policy and store of the proxy, as JSON' },
    pin: { help: 'list the tools of all servers, pin their definitions as they are now, and end' },
  },
  positionals: { min: 0, max: 0 },
  examples: ['mcp-proxy --config ./proxy.json', 'mcp-proxy --config ./proxy.json --pin'],
  async run(call) {
    const config = readProxyConfig(call)
    const store = await openFor(call, config)
    try {
      return await run(call, config, store)
    } finally {
      await store.close()
    }
  },
}

async function run(call: Call, config: ProxyConfig, store: Store): Promise<number> {
  const { context } = call
  const fields = { role: 'mcp-proxy', pid: process.pid }
  const logger = logLines({ level: 'info', fields, secrets: config.secrets, now: context.now, write: context.err })
  const proxy = createProxy(call, config, { store, logger })
  const stop = context.takeSignals()
  try {
    if (call.flag('pin')) return await pin(call, config, proxy)
    if (config.http) {
      const server = await proxy.listen(config.http)
      logger.info({ url: server.url }, 'the proxy listens')
      await untilStopped(stop.signal)
      await server.close()
      return 0
    }
    const problem = selfApproval(doorsOf(config))
    if (problem !== undefined) logger.warn({ code: 'self_approval' }, problem)
    const { stdin: input, stdout: output } = context
    await Promise.race([proxy.stdio({ principal: principalOf(config), input, output }), untilStopped(stop.signal)])
    return 0
  } finally {
    await proxy.close()
    stop.release()
  }
}

function createProxy(call: Call, config: ProxyConfig, { store, logger }: { store: Store; logger: Logger }): McpProxy {
  const { servers, pins, holdSeconds, progressSeconds, elicitation, inboxUrl, http } = config
  const { agent, attachSeconds, onUnknownOutcome } = config
  const via = doorsOf(config)
  const policies = [config.policy, pinnedDefinitions()]
  return createMcpProxy({
    gate: createGate({
      ...{ store, source: 'mcp', policy: via ? policies.map((one) => throughDoors(one, via)) : policies },
      ...defined({ agent, attachSeconds, onUnknownOutcome }),
    }),
    servers,
    pins,
    wait: defined({ holdSeconds, progressSeconds, elicitation, inboxUrl }),
    ...(http && !call.flag('pin') ? { auth: authOf(call, config), ...served(http) } : {}),
    onWarning: ({ code, message }) => logger.warn({ code }, message),
  })
}

async function pin({ context, flag }: Call, { pins }: ProxyConfig, proxy: McpProxy): Promise<number> {
  const pinned = await proxy.pin()
  if (flag('json')) context.out(JSON.stringify({ file: pins, servers: pinned }))
  else
    for (const [name, { tools, changed }] of Object.entries(pinned)) {
      const was =
        changed.length === 0 ? '' : ` (new or changed: ${changed.map((one) => JSON.stringify(one)).join(', ')})`
      context.out(`${name}: pinned ${tools} tools${was}`)
    }
  return 0
}

/** The store of the configuration, else the one that options and the environment name. It is created if it is missing. */
async function openFor(call: Call, config: ProxyConfig): Promise<Store> {
  const text = (name: string): string | undefined => {
    const given = call.text(name)
    if (given !== undefined || (name !== 'store' && name !== 'schema' && name !== 'tenant')) return given
    return config[name]
  }
  const { at, tenant } = storePlace({ ...call, text })
  const onWarning = ({ message }: { message: string }): void => call.context.err(message)
  const store = openStore(at, { create: true, auditKeys: auditKeysOf(call), onWarning })
  await fileOpens(at, store)
  return tenant === undefined ? store : store.tenant(tenant)
}

/** Whom equal calls belong to on stdio: the user of this machine, with this configuration. */
function principalOf({ path }: ProxyConfig): string {
  return `os:${userInfo().username}:${createHash('sha256').update(path).digest('hex').slice(0, 16)}`
}

function authOf({ context }: Call, { http }: ProxyConfig): Auth {
  const { jwksUrl, issuer, audience } = http ?? {}
  const { jwtSecret } = context.settings
  const names = defined({ issuer, audience })
  if (jwtSecret !== undefined && jwksUrl !== undefined)
    throw new CliError('config_invalid', 'Tokens are checked with HOLDPOINT_JWT_SECRET or with jwksUrl, not both.')
  if (jwksUrl !== undefined) return jwtAuth({ jwksUrl, ...names })
  if (jwtSecret !== undefined) return jwtAuth({ secret: jwtSecret, ...names })
  throw new CliError(
    'config_invalid',
    'The proxy serves HTTP only to callers with a token: set HOLDPOINT_JWT_SECRET, or jwksUrl in http of the configuration.',
  )
}

function served({ origins, idleSeconds, maxPrincipals }: NonNullable<ProxyConfig['http']>) {
  return defined({ origins, idleSeconds, maxPrincipals })
}

/** Without the fields that are `undefined`. */
function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
