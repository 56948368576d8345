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
  const told = call.header('content-length')
  // A server lets no more bytes through than were told.
  const isTooLong = told !== undefined && Number(told) > maxBodyBytes
  const read = () => (told === undefined ? readBounded(call.request, maxBodyBytes) : call.request.text())
  const text = isTooLong ? 'too long' : await inTime(read(), bodyTimeoutMs)
  if (typeof text === 'object')
    return text.text.length > maxBodyBytes ? tooLong(maxBodyBytes) : { ok: true, value: text.text }
  switch (text) {
    case 'too long':
      return tooLong(maxBodyBytes)
    case 'late':
      return refuse(400, 'The body did not arrive in time.', CLOSE)
    case 'broken':
      return refuse(400, 'The body broke off.', CLOSE)
    default:
      return text satisfies never
  }
}

const tooLong = (bytes: number) => refuse(400, `The body is longer than ${bytes} bytes.`, CLOSE)

/** What came of reading. If time wins, the reading fails later, when the connection is closed; that is no news then. */
function inTime(
  reading: Promise<string | undefined>,
  ms: number,
): Promise<{ text: string } | 'too long' | 'late' | 'broken'> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, 'late')
    reading.then(
      (text) => {
        clearTimeout(timer)
        resolve(text === undefined ? 'too long' : { text })
      },
      () => {
        clearTimeout(timer)
        resolve('broken')
      },
    )
  })
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
