import type { z } from 'zod'
import type { GatewayParts } from '../gateway-parts.ts'
import { type Refusal, type Result, refuse } from '../refusal.ts'
import { LATE } from './deadlines.ts'
import type { HttpCall } from './endpoint.ts'

/** Whoever sends no more than this of a body has no use for the connection after it. */
const CLOSE = { connection: 'close' }

const CONSUMED =
  'The body was read before the gateway got the request: mount the gateway before body parsers such as express.json().'

/**
 * Reads a body that must be JSON. Its type is not looked at: it is JSON or it is refused. Too long, too slow, broken off: all the same to the
 * caller, who gets 400. A body that something before the gateway has read already is the server's mistake, and the log says how to mend it.
 */
export async function readJson(
  { settings, bodies, logger }: Pick<GatewayParts, 'settings' | 'bodies' | 'logger'>,
  call: HttpCall,
): Promise<Result<unknown>> {
  const told = call.header('content-length')
  const { maxBodyBytes, bodyTimeoutMs } = settings
  const consumed = (): { ok: false; refusal: Refusal } => {
    logger?.error({}, CONSUMED)
    return refuse(500, CONSUMED)
  }
  if (call.request.bodyUsed || call.consumed) return consumed()
  // A server lets no more bytes through than were told.
  if (told !== undefined && Number(told) > maxBodyBytes) return tooLong(maxBodyBytes)
  const reading = told === undefined ? readBounded(call.request, maxBodyBytes) : call.request.text()
  const text = await bodies.race(reading, bodyTimeoutMs, BROKEN)
  if (text === LATE) return refuse(400, 'The body did not arrive in time.', CLOSE)
  if (text === BROKEN) return refuse(400, 'The body broke off.', CLOSE)
  if (text === undefined || text.length > maxBodyBytes) return tooLong(maxBodyBytes)
  if (text === '' && Number(told) > 0) return consumed()
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return refuse(400, 'The body is not JSON.')
  }
}

/** Checks what came from outside. The first thing that is wrong is told. */
export function check<T>(schema: z.ZodType<T>, value: unknown): Result<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const issue = parsed.error.issues[0]
  const where = issue?.path.join('.')
  return refuse(400, `${where ? `${where}: ` : ''}${issue?.message ?? 'This cannot be used'}.`)
}

const tooLong = (bytes: number) => refuse(400, `The body is longer than ${bytes} bytes.`, CLOSE)

const BROKEN = Symbol('broken')

/** Reads at most so many bytes; `undefined` if there are more. */
async function readBounded({ body }: Request, limit: number): Promise<string | undefined> {
  if (!body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > limit) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
