import { z } from 'zod'
import { sessionId } from '../../protocol/hil/hil.ts'
import type { AuthRequest } from '../auth/auth.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { nextMessages } from '../hil/next-messages.ts'
import { TOO_MANY } from '../hil/poll.ts'
import { respond } from '../hil/respond.ts'
import { findSession, isStillTheirs, timeLeft, type VisibleSession } from '../hil/visible-session.ts'
import { check } from '../http/body.ts'
import { errorFields } from '../log.ts'
import type { Refusal, Result } from '../refusal.ts'
import type { WaitSlot } from '../wait-slots.ts'
import { paramsOf, parseRpc, RPC, type RpcId, type RpcMessage, rpcAck, rpcError } from './json-rpc.ts'
import { Outbox, type OutboxPeer } from './outbox.ts'

/** The other end of a connection, whatever carries it. */
export interface Peer extends AuthRequest, OutboxPeer {
  close(code: number, reason: string): void
}

/** Why a connection is ended. */
export const CLOSE = { done: 1000, goingAway: 1001, refused: 1008, failed: 1011, gone: 4404 } as const

const initParams = z.object({ auth_token: z.string().min(1), stream_identifier: sessionId() })
/** How many messages of the peer may be queued. */
const MAX_QUEUED = 64
const READ_MS = 30_000
/** How often a connection that acknowledges nothing is checked. */
const FULL_MS = 1000
const EXPIRED = 'the token has expired'

type Phase = { name: 'new' } | { name: 'open'; session: VisibleSession; slot: WaitSlot } | { name: 'over' }

/**
 * One connection of the deprecated protocol, JSON-RPC 2.0 over WebSocket. The first message authenticates and names the session; then messages flow
 * until either side ends it. It knows nothing of sockets.
 */
export class WsConnection {
  readonly #parts: GatewayParts
  readonly #peer: Peer
  readonly #outbox: Outbox
  readonly #initTimer: NodeJS.Timeout
  #phase: Phase = { name: 'new' }
  #queue: Promise<void> = Promise.resolve()
  #queued = 0

  constructor(parts: GatewayParts, peer: Peer) {
    this.#parts = parts
    this.#peer = peer
    this.#outbox = new Outbox(peer, parts.settings.resendMs)
    this.#initTimer = setTimeout(() => this.#close(CLOSE.refused, 'init_session is late'), parts.settings.initTimeoutMs)
  }

  /** Queues a message of the peer; messages are handled one at a time. */
  receive(text: string): void {
    if (this.#phase.name === 'over') return
    if (++this.#queued > MAX_QUEUED) return this.#close(CLOSE.refused, 'too many messages at once')
    this.#queue = this.#queue.then(async () => {
      this.#queued--
      if (this.#phase.name !== 'over') await this.#handle(parseRpc(text)).catch((error) => this.#fail(error))
    })
  }

  /** The connection is gone. */
  end(): void {
    clearTimeout(this.#initTimer)
    this.#outbox.close()
    const phase = this.#phase
    this.#phase = { name: 'over' }
    if (phase.name !== 'open') return
    phase.slot.cancel()
    phase.slot.end()
  }

  async #handle(message: RpcMessage): Promise<void> {
    const phase = this.#phase
    if (phase.name === 'open') return this.#handleOpen(message, phase.session)
    // A refusal before the session is open ends the connection.
    if (message.kind === 'request' && message.method === 'init_session') return this.#init(message)
    const problem = message.kind === 'invalid' ? message.problem : 'The first message must be init_session.'
    const code = message.kind === 'invalid' ? message.code : RPC.invalidRequest
    this.#refuse({ id: message.id, code, problem })
  }

  async #init({ id, params }: { id: RpcId; params: unknown }): Promise<void> {
    const opened = await this.#open(params)
    // The connection may have ended meanwhile; then nobody else gives the slot back.
    if ((this.#phase as Phase).name === 'over') {
      if (opened.ok) opened.value.slot.end()
      return
    }
    if (!opened.ok) return this.#refuse({ id, ...toRpc(opened.refusal) })
    clearTimeout(this.#initTimer)
    const { session, slot } = opened.value
    this.#phase = { name: 'open', session, slot }
    this.#reply(id, rpcAck(id))
    this.#pump(session, slot).catch((error: unknown) => this.#fail(error))
  }

  async #open(params: unknown): Promise<Result<{ session: VisibleSession; slot: WaitSlot }>> {
    const asked = check(initParams, paramsOf(params))
    if (!asked.ok) return asked
    const { auth_token: token, stream_identifier: id } = asked.value
    const header = (name: string) => (name === 'authorization' ? `Bearer ${token}` : this.#peer.header(name))
    const caller = await authenticate(this.#parts, { header })
    if ('status' in caller) return { ok: false, refusal: caller }
    const found = await findSession(this.#parts, caller, id)
    if (!found.ok) return found
    const slot = this.#parts.waitSlots.enter(caller)
    return slot ? { ok: true, value: { session: found.value, slot } } : TOO_MANY
  }

  async #handleOpen(message: RpcMessage, session: VisibleSession): Promise<void> {
    switch (message.kind) {
      case 'invalid':
        return this.#peer.send(rpcError(message.id, message.code, message.problem))
      case 'response':
        if (message.result === 'ack') this.#outbox.acknowledge(message.id)
        return
      case 'request':
        return this.#request(message, session)
      default:
        return message satisfies never
    }
  }

  async #request(
    { id, method, params }: Extract<RpcMessage, { kind: 'request' }>,
    session: VisibleSession,
  ): Promise<void> {
    if (timeLeft(session.caller) <= 0) return this.#close(CLOSE.refused, EXPIRED)
    switch (method) {
      case 'HIL_interrupt_response': {
        const { msg_id, ...said } = paramsOf(params)
        const allowed = this.#parts.writeLimiter.take(session.caller)
        const body = { ...said, session_task_id: session.id, hil_msg_id: msg_id }
        const done = allowed.ok ? await respond(this.#parts, { caller: session.caller }, body) : allowed
        if (done.ok) this.#outbox.answered(String(msg_id))
        if (done.ok) return this.#reply(id, rpcAck(id))
        const { code, problem } = toRpc(done.refusal)
        return this.#reply(id, rpcError(id, code, problem))
      }
      case 'init_session':
        return this.#reply(id, rpcError(id, RPC.invalidRequest, 'The session is open already.'))
      default:
        return this.#reply(id, rpcError(id, RPC.unknownMethod, 'There is no such method.'))
    }
  }

  /** Forwards messages until the session, the token, the connection or the gateway ends. */
  async #pump(session: VisibleSession, { signal }: WaitSlot): Promise<void> {
    const cursor = { session, after: '0' }
    for (;;) {
      const waitMs = Math.min(READ_MS, timeLeft(session.caller))
      if (waitMs <= 0) return this.#close(CLOSE.refused, EXPIRED)
      if (!(await this.#outbox.room(Math.min(waitMs, FULL_MS)))) {
        // A peer that acknowledges nothing gets nothing more, but still learns that the session is over.
        if (await isStillTheirs(this.#parts, session)) continue
        return this.#close(CLOSE.gone, 'the message stream is gone')
      }
      const next = await nextMessages(this.#parts, cursor, { waitMs, signal })
      if (next.kind === 'gone') return this.#close(CLOSE.gone, 'the message stream is gone')
      if (signal.aborted) return this.#close(CLOSE.goingAway, 'the gateway stops')
      for (const { HIL_msg } of next.kind === 'messages' ? next.items : []) this.#outbox.send(HIL_msg)
    }
  }

  /** Answers a request; a notification wants no answer. */
  #reply(id: RpcId, text: string): void {
    if (id !== undefined) this.#peer.send(text)
  }

  #refuse({ id, code, problem }: { id: RpcId; code: number; problem: string }): void {
    this.#peer.send(rpcError(id, code, problem))
    this.#close(CLOSE.refused, 'refused')
  }

  #fail(error: unknown): void {
    if (this.#phase.name === 'over') return
    this.#parts.logger?.error(errorFields(error), 'a WebSocket connection failed')
    this.#close(CLOSE.failed, 'something went wrong')
  }

  #close(code: number, reason: string): void {
    if (this.#phase.name === 'over') return
    this.end()
    this.#peer.close(code, reason)
  }
}

function toRpc({ status, detail }: Refusal): { code: number; problem: string } {
  return { code: status >= 500 ? RPC.internal : RPC.invalidParams, problem: detail }
}
