import type { GatewayParts } from '../gateway-parts.ts'
import { errorFields } from '../log.ts'
import type { WaitSlot } from '../wait-slots.ts'
import type { Reply } from './reply.ts'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that collects what it passes on would hold every question back.
  'x-accel-buffering': 'no',
}

const encoder = new TextEncoder()
const GREETING = ': open\nretry: 1000\n\n'
/** Shows that a quiet stream is alive. */
export const HEARTBEAT = ':\n\n'

/** The next piece of a response that goes on, and whether it is the last. */
export interface Piece {
  text?: string
  last?: boolean
}

/** One event. JSON has no line ends of its own, so one line holds it. */
export function eventText(type: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * A response of server-sent events. One small pull source: nothing is read before the connection took what came before. A pull that waits is ended by
 * `cancel`, when the client went away, or by the gateway when it stops. `end` is called once, however it ends.
 */
export function eventStream(
  parts: GatewayParts,
  slot: WaitSlot,
  { next, end }: { next(): Promise<Piece>; end?(): void },
): Reply {
  let greeted = false
  const over = (): void => {
    slot.end()
    end?.()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!greeted) {
          greeted = true
          return controller.enqueue(encoder.encode(GREETING))
        }
        try {
          const { text, last } = await next()
          if (text !== undefined) controller.enqueue(encoder.encode(text))
          if (!last) return
          controller.close()
        } catch (error) {
          if (!slot.signal.aborted) parts.logger?.error(errorFields(error), 'an event stream failed')
          // The client reconnects with the last position and then gets the error as a response.
          controller.close()
        }
        over()
      },
      cancel() {
        slot.cancel()
        over()
      },
    },
    { highWaterMark: 0 },
  )
  return { status: 200, headers: HEADERS, body }
}
