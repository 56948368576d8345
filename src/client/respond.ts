import type { GrantOptions } from '../protocol/grant.ts'
import type { HilReply } from '../protocol/hil/hil.ts'
import { ClientError, TryAgain } from './client-error.ts'
import type { Connection } from './connection.ts'

/**
 * What became of a reply.
 *
 * - `answered`: it was accepted.
 * - `unheard`: it was accepted and stored, but nobody waits for it right now: the application that asked may be gone.
 * - `gone`: it was not accepted. Another person answered, the question was retracted, or its stream is gone.
 * - `maybe`: one try got no response, and the next one found the question gone. Either the first try got through, or another person was first. The
 *   gateway cannot tell these apart.
 */
export type RespondOutcome = 'answered' | 'unheard' | 'gone' | 'maybe'

/**
 * How a reply is sent, and what goes with it. `comment`, `always` and `undoSeconds` are for requests that the gateway's desk decides; with other
 * questions they are refused (`bad_request`).
 */
export interface RespondOptions {
  /** For the record; never shown to the model. */
  comment?: string
  /** Also decides later calls of the same tool: by the same agent in this run, or with `scope: 'thread'` in later runs of the thread. */
  always?: boolean | GrantOptions
  /** How long the decision can be withdrawn before it takes effect. */
  undoSeconds?: number
  /** How often it is tried. Default 5. */
  tries?: number
  /** Gives up and throws the signal's reason. Whether the reply arrived is then unknown. */
  signal?: AbortSignal
}

/** A login or maintenance page, with any status: whoever sent it is not the gateway. */
const A_PAGE = 'A web page came back instead of a response of the gateway.'

/** Sends a reply, with retries, until the gateway has responded. A question is answered at most once, so retries are safe. */
export async function respond(
  connection: Connection,
  reply: { session: string; messageId: string; msg: HilReply },
  { tries = 5, signal, timeoutMs, ...terms }: RespondOptions & { timeoutMs: number },
): Promise<RespondOutcome> {
  let uncertain = false
  for (let failures = 0; ; ) {
    signal?.throwIfAborted()
    try {
      const { status, headers, body } = await connection.send({
        path: '/hil/respond',
        body: { session_task_id: reply.session, hil_msg_id: reply.messageId, msg: reply.msg, ...terms },
        timeoutMs,
        signal,
      })
      if (status === 404) return uncertain ? 'maybe' : 'gone'
      await body?.cancel()
      if (headers.get('content-type')?.includes('text/html')) throw new TryAgain(A_PAGE, { status })
      return headers.get('holdpoint-delivery') === 'unheard' ? 'unheard' : 'answered'
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error
      // These responses say that the reply was not processed.
      if (error.status !== 429 && error.status !== 404) uncertain = true
      failures += 1
      if (failures >= tries) {
        const problem = `The reply could not be delivered in ${tries} tries: ${error.message}`
        const status = error.status === undefined ? {} : { status: error.status }
        throw new ClientError('unreachable', problem, { ...status, cause: error })
      }
      await connection.pauseAfter(failures, error, signal)
    }
  }
}
