import type { z } from 'zod'
import type { Settings } from '../options.ts'
import { type Result, refuse } from '../refusal.ts'
import type { HttpCall } from './endpoint.ts'

/** Whoever sends no more than this of a body has no use for the connection after it. */
const CLOSE = { connection: 'close' }

/**
 * Reads a body that must be JSON and fit a schema. Its type is not looked at: it is JSON or it is refused. Too long, too slow, broken
 * off: all the same to the caller, who gets 400.
 */
export async function readBody<T>(call: HttpCall, schema: z.ZodType<T>, settings: Settings): Promise<Result<T>> {
  const text = await readText(call, settings)
  if (!text.ok) return text
  let value: unknown
  try {
    value = JSON.parse(text.value)
  } catch {
    return refuse(400, 'The body is not JSON.')
  }
  return check(schema, value)
}

/** Checks what came from outside. The first thing that is wrong is told. */
export function check<T>(schema: z.ZodType<T>, value: unknown): Result<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const issue = parsed.error.issues[0]
  const where = issue?.path.join('.')
  return refuse(400, `${where ? `${where}: ` : ''}${issue?.message ?? 'This cannot be used'}.`)
}

async function readText(call: HttpCall, { maxBodyBytes, bodyTimeoutMs }: Settings): Promise<Result<string>> {
  const tooLong = refuse(400, `The body is longer than ${maxBodyBytes} bytes.`, CLOSE)
  const told = call.header('content-length')
  if (told !== undefined && Number(told) > maxBodyBytes) return tooLong
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), bodyTimeoutMs)
  })
  // A server lets no more bytes through than were told.
  const read = told === undefined ? readBounded(call.request, maxBodyBytes) : call.request.text()
  // If time wins, this fails later, when the connection is closed.
  read.catch(() => undefined)
  try {
    const text = await Promise.race([read, late])
    if (text === 'late') return refuse(400, 'The body did not arrive in time.', CLOSE)
    return text === undefined || text.length > maxBodyBytes ? tooLong : { ok: true, value: text }
  } catch {
    return refuse(400, 'The body broke off.', CLOSE)
  } finally {
    clearTimeout(timer)
  }
}

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
