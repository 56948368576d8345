import type { LiveEvent } from '../../client.ts'
import { HitlNoPendingRequest } from '../../index.ts'
import type { Call } from '../command-line/command.ts'
import { requestLine } from '../render/request.ts'
import { safeJsonLine, visible } from '../render/visible.ts'
import type { Seat, SeatRequest } from '../seat/seat.ts'
import { fateOf } from './rows.ts'

/** Prints a line for each thing that happens, until it is interrupted. With `--json` each line is JSON: the event, and the request as it is then. */
export async function watchInbox(call: Call, seat: Seat): Promise<number> {
  const { context } = call
  const stop = context.takeSignals()
  const failed = new AbortController()
  let failure: unknown
  let changes = Promise.resolve()
  const print = async (event: LiveEvent): Promise<void> => {
    const request = event.type === 'request' ? await read(seat, event.id) : undefined
    if (event.type === 'request' && !request) return
    if (call.flag('json'))
      context.out(
        safeJsonLine({ at: new Date(context.now()).toISOString(), ...event, ...(request ? { request } : {}) }),
      )
    else context.out(lineOf(call, event, request))
  }
  const onChange = (event: LiveEvent): void => {
    changes = changes
      .then(() => print(event))
      .catch((error: unknown) => {
        failure ??= error
        failed.abort()
      })
  }
  try {
    if (!call.flag('json') && context.interactive) context.out(context.style.dim('Watching. Ctrl-C ends it.'))
    // A stream connects again and again: a wrong address must not look like an inbox in which nothing happens.
    await seat.list({ status: 'open', limit: 1 })
    await seat.watch({ onChange, signal: AbortSignal.any([stop.signal, failed.signal]) })
    await changes
    if (failure !== undefined) throw failure
    return stop.code
  } finally {
    stop.release()
  }
}

async function read(seat: Seat, id: string): Promise<SeatRequest | undefined> {
  try {
    return await seat.get(id)
  } catch (error) {
    if (error instanceof HitlNoPendingRequest) return undefined
    throw error
  }
}

function lineOf({ context }: Call, event: LiveEvent, request: SeatRequest | undefined): string {
  const { style } = context
  const time = style.dim(new Date(context.now()).toLocaleTimeString('en-GB'))
  switch (event.type) {
    case 'reset':
      return `${time}  ${style.accent('Events were missed: list the requests again.')}`
    case 'grant':
      return `${time}  ${'grant'.padEnd(9)} ${visible(event.id)}  ${event.what}`
    case 'request': {
      const what = request?.status === 'open' || !request ? event.what : fateOf(request)
      const shown = event.what === 'opened' ? style.good(what.padEnd(9)) : what.padEnd(9)
      return `${time}  ${shown} ${visible(event.id)}  ${request ? requestLine(request) : ''}`
    }
    default:
      return event satisfies never
  }
}
