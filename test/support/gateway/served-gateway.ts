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
} from '../../../src/gateway.ts'
import type { Streams } from '../../../src/ports/streams.ts'
import { memoryStreams } from '../../../src/streams/memory/streams.ts'

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
