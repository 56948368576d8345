import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { onTestFinished } from 'vitest'
import type { Auth } from '../../src/gateway.ts'
import { everything, proxyOf, type Setup } from './proxies.ts'

/** Tokens are the names of their subjects. */
const auth: Auth = {
  authenticate: async ({ header }) => {
    const [, sub = ''] = /^Bearer (\w+)$/.exec(header('authorization') ?? '') ?? []
    if (sub === '') return { ok: false, detail: 'no token' }
    return { ok: true, caller: { sub, tenant: 'default', roles: [], groups: [] } }
  },
}

/** A proxy that listens. */
export async function served(setup: Setup = {}) {
  const { proxy, store, signals } = proxyOf({ servers: { all: everything }, auth, ...setup })
  const { url, close } = await proxy.listen({ port: 0 })
  onTestFinished(close)
  return { url: new URL(url), proxy, store, signals }
}

const headersOf = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

/** The client of the SDK's first line. */
export async function legacyAt(url: URL, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url, headersOf(token)) as unknown as Transport)
  onTestFinished(() => client.close())
  return client
}

/** The client of the SDK's second line, which speaks 2026-07-28 alone. `elicit` answers its user's questions. */
export async function modernAt(url: URL, token: string, elicit?: () => unknown): Promise<ModernClient> {
  const client = new ModernClient(
    { name: 'test', version: '1' },
    {
      capabilities: elicit ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  )
  if (elicit) client.setRequestHandler('elicitation/create', elicit as never)
  await client.connect(new ModernTransport(url, headersOf(token)))
  onTestFinished(() => client.close())
  return client
}
