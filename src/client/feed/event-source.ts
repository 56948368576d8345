import { ClientError, TryAgain } from '../client-error.ts'
import { EventParser, type ServerEvent } from './event-parser.ts'
import type { Feed, Reading } from './feed.ts'

/** A gateway sends its first bytes at once. */
const GREETING_MS = 10_000

/**
 * Server-sent events over one long response. `unusable` if there is no such endpoint, if something else answers, or if a proxy buffers the response:
 * then nothing arrives, not even a heartbeat.
 */
export async function* serverEvents(reading: Reading, path: string, lastId: string): Feed<ServerEvent> {
  const { connection, options, onOpen } = reading
  const cut = new AbortController()
  const signal = AbortSignal.any([reading.signal, cut.signal])
  const greetingMs = Math.min(options.silenceMs, GREETING_MS)
  const response = await connection
    .send({
      path,
      headers: { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
      timeoutMs: greetingMs,
      signal,
    })
    .catch((error: unknown): undefined => {
      if (error instanceof ClientError && (error.status === 405 || error.status === 406)) return undefined
      if (error instanceof TryAgain && (error.status === 501 || error.status === 404 || error.late)) return undefined
      throw error
    })
  try {
    // A stream that is gone, or an endpoint that is not there: polling tells which.
    const isStream = response?.headers.get('content-type')?.includes('text/event-stream')
    if (!response?.ok || !isStream || !response.body) return 'unusable'
    const parser = new EventParser()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let heard = false; ; heard = true) {
      const piece = await nextPiece(reader, heard ? options.silenceMs : greetingMs, reading.signal)
      if (piece === 'silent') {
        if (heard) throw new TryAgain('The gateway fell silent.')
        return 'unusable'
      }
      if (piece === 'end') throw new TryAgain('The connection was closed.')
      onOpen()
      for (const event of parser.push(piece.text)) {
        if (event.type === 'gone') return 'gone'
        yield event
      }
    }
  } finally {
    cut.abort()
  }
}

/** The data of an event. */
export function dataOf({ data }: ServerEvent): { [key: string]: unknown } {
  try {
    return JSON.parse(data) ?? {}
  } catch (cause) {
    throw new ClientError('invalid_response', 'The gateway sent an event that is not JSON.', { cause })
  }
}

/** The next piece of a response; `silent` after a timeout. */
export async function nextPiece(
  reader: ReadableStreamDefaultReader<string>,
  silenceMs: number,
  signal: AbortSignal,
): Promise<{ text: string } | 'silent' | 'end'> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<'silent'>((resolve) => {
    timer = setTimeout(() => resolve('silent'), silenceMs)
  })
  const read = reader.read().then(
    ({ done, value }) => (done ? 'end' : { text: value }),
    (cause: unknown) => {
      signal.throwIfAborted()
      throw new TryAgain(`The connection broke: ${String(cause)}`, { cause })
    },
  )
  // If the silence wins, the connection is cut and this promise rejects unobserved.
  read.catch(() => undefined)
  try {
    return await Promise.race([read, silence])
  } finally {
    clearTimeout(timer)
  }
}
