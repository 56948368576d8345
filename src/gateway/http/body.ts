import type { z } from 'zod'
import type { GatewayParts } from '../gateway-parts.ts'
import { type Refusal, type Result, refuse } from '../refusal.ts'
import type { HttpCall, HttpRequest } from './call.ts'
import { LATE } from './deadlines.ts'

/** The rest of such a body is not read, so the connection cannot be used again. */
const CLOSE = { connection: 'close' }

const CONSUMED =
  'The body was read before the gateway got the request: mount the gateway before body parsers such as express.json().'

/**
 * Reads a JSON body, whatever its content type says. A body that is too long, too slow or incomplete is refused with 400. A body that other middleware
 * has consumed is the server's mistake: 500, and the log says how to fix it. A body that has arrived is read at once: a promise is a good part of what
 * reading it costs.
 */
export function readJson(
  { settings, bodies, logger }: Pick<GatewayParts, 'settings' | 'bodies' | 'logger'>,
  call: HttpCall,
): Result<unknown> | Promise<Result<unknown>> {
  const told = call.header('content-length')
  const { maxBodyBytes, bodyTimeoutMs } = settings
  const consumed = (): { ok: false; refusal: Refusal } => {
    logger?.error({}, CONSUMED)
    return refuse(500, CONSUMED)
  }
  if (call.request.bodyUsed || call.consumed) return consumed()
  // The server enforces content-length.
  if (told !== undefined && Number(told) > maxBodyBytes) return tooLong(maxBodyBytes)
  const toResult = (text: string | undefined | typeof LATE | typeof BROKEN) =>
    text === '' && Number(told) > 0 ? consumed() : toJson(text, maxBodyBytes)
  const { arrived } = call.request
  if (arrived !== undefined) return toResult(arrived)
  const read = told === undefined ? readBounded(call.request, maxBodyBytes) : call.request.text()
  return bodies.race(read, bodyTimeoutMs, BROKEN).then(toResult)
}

function toJson(text: string | undefined | typeof LATE | typeof BROKEN, maxBodyBytes: number): Result<unknown> {
  if (text === LATE) return refuse(400, 'The body did not arrive in time.', CLOSE)
  if (text === BROKEN) return refuse(400, 'The body broke off.', CLOSE)
  if (text === undefined || text.length > maxBodyBytes) return tooLong(maxBodyBytes)
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return refuse(400, 'The body is not JSON.')
  }
}

/** Checks input from outside, and reports the first problem. */
export function check<T>(schema: z.ZodType<T>, value: unknown): Result<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const issue = parsed.error.issues[0]
  const where = issue?.path.join('.')
  return refuse(400, `${where ? `${where}: ` : ''}${issue?.message ?? 'Invalid'}.`)
}

const tooLong = (bytes: number) => refuse(400, `The body is longer than ${bytes} bytes.`, CLOSE)

const BROKEN: unique symbol = Symbol('broken')

/** Reads at most so many bytes; `undefined` if there are more. */
async function readBounded({ body }: HttpRequest, limit: number): Promise<string | undefined> {
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
