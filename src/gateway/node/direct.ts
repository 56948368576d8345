import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { directExchanges, type Gateway } from '../gateway.ts'
import type { Exchange, Sent } from '../http/endpoint.ts'
import { errorFields, type Logger } from '../log.ts'
import { DirectCall } from './direct-call.ts'
import { rawHeader } from './raw-header.ts'

/** A response, of a request that is known. */
type Outgoing = Parameters<RequestListener>[1]

/** Hosts of which nothing has to be parsed or refused to make an address of them. */
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/
const LENGTH = /^\d{1,15}$/

/**
 * Answers the requests that clients send all the time without the objects of `fetch`, which cost more than answering. The exchange is the very same;
 * only what reads the request and writes the response differs. All that is not as usual is left to `others`: another method or path, a host that is not
 * plain, a body of unknown length, and one that is not there yet.
 */
export function directly(gateway: Gateway, logger: Logger | undefined, others: RequestListener): RequestListener {
  const direct = directExchanges(gateway)
  if (!direct || direct.exchanges.size === 0) return others
  const answer = async (exchange: Exchange, incoming: IncomingMessage, outgoing: Outgoing): Promise<void> => {
    try {
      send(await exchange(new DirectCall(incoming, outgoing)), outgoing)
      // Its body was taken; if it has not ended with that, now let it end, so that nothing keeps it.
      if (!incoming.readableEnded) incoming.resume()
    } catch (error) {
      logger?.error(errorFields(error), 'a response failed')
      outgoing.destroy()
    }
  }
  const begin = (exchange: Exchange, incoming: IncomingMessage, outgoing: Outgoing): void => {
    if (!isUsual(incoming)) return others(incoming, outgoing)
    void answer(exchange, incoming, outgoing)
  }
  return (incoming, outgoing) => {
    const exchange = incoming.method === 'POST' ? direct.exchanges.get(incoming.url ?? '') : undefined
    if (!exchange || gateway.fetch !== direct.fetch) return others(incoming, outgoing)
    // The parser goes on to the body after this event. In the next tick, what arrived together with the head is there.
    process.nextTick(begin, exchange, incoming, outgoing)
  }
}

/** A header that is there twice fits no pattern. */
function isUsual(incoming: IncomingMessage): boolean {
  const length = rawHeader(incoming, 'content-length') ?? ''
  return (
    LENGTH.test(length) &&
    incoming.readableLength === Number(length) &&
    !incoming.readableDidRead &&
    PLAIN_HOST.test(rawHeader(incoming, 'host') ?? '')
  )
}

function send({ status, body, headers }: Sent, outgoing: ServerResponse): void {
  if (body === null) {
    outgoing.writeHead(status, headers).end()
    return
  }
  if (typeof body !== 'string') throw new Error('only texts are sent without Hono')
  const bytes = Buffer.byteLength(body)
  headers['content-length'] = String(bytes)
  // Plain ASCII is the same in both, and one of them has to be measured before it is written.
  outgoing.writeHead(status, headers).end(body, bytes === body.length ? 'latin1' : 'utf8')
}
