import { randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import {
  createGateway,
  type GatewayOptions,
  type GatewayServer,
  jwtAuth,
  type ServeOptions,
  serve,
} from '../../src/gateway.ts'
import type { Streams } from '../../src/ports/streams.ts'
import type { HilMessage } from '../../src/protocol/hil.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { memoryStreams } from '../../src/streams/memory/streams.ts'

/** The secret of all tokens here. */
export const SECRET = 'a secret of the tests that is long enough for HS256'

/** A token; claims that are given replace the usual ones. */
export function tokenOf(sub: string, claims: JWTPayload = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const payload = { sub, iss: 'tests', aud: 'gateway', iat: now, exp: now + 600, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(SECRET))
}

/** A gateway that is served, gone when the test is over. */
export interface Served {
  server: GatewayServer
  url: string
  streams: Streams
}

/** Serves a gateway on memory streams, unless it is given others. */
export async function served(options: Partial<GatewayOptions> = {}, serving: ServeOptions = {}): Promise<Served> {
  const streams = options.streams ?? memoryStreams()
  const auth = jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' })
  const server = await serve(createGateway({ auth, ...options, streams }), { graceSeconds: 0.5, ...serving })
  onTestFinished(async () => {
    await server.close()
    if (!options.streams) await streams.shutdown()
  })
  return { server, url: server.url, streams }
}

/** Opens a session for somebody. */
export async function sessionOf(streams: Streams, owner: string): Promise<string> {
  const session = randomUUID()
  await streams.open(session, { owner, expireSeconds: 60 })
  return session
}

/** A question as applications ask it. */
export function question(detail: JsonObject = {}, body: object = {}): HilMessage {
  const asked = { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: randomUUID(), detail, ...body }
  return {
    msg_id: randomUUID(),
    msg_type: 'HIL_interrupt_request',
    content: { source: 'agent_tool_call', body: asked },
  }
}

/** Something to be shown. */
export function note(text: string): HilMessage {
  return { msg_id: randomUUID(), msg_type: 'Notification', content: { text } }
}

/** Posts JSON with a token. */
export async function post(
  url: string,
  path: string,
  {
    token,
    body,
    signal,
    headers = {},
  }: { token?: string; body: unknown; signal?: AbortSignal; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })
}

/** Waits until something is so. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('it did not come to be so in 10 s')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Streams that count who reads them with a wait, and can be made to fail. */
export function watched(streams: Streams): { streams: Streams; waiting: () => number } {
  let waiting = 0
  const bind = (inner: Streams): Streams => ({
    ...inner,
    async read(session, options) {
      const waits = (options.waitMs ?? 0) > 0
      if (waits) waiting++
      try {
        return await inner.read(session, options)
      } finally {
        if (waits) waiting--
      }
    },
    tenant: (id) => bind(inner.tenant(id)),
  })
  return { streams: bind(streams), waiting: () => waiting }
}
