import { parseDecision } from '../desk/check.ts'
import type { WaitOptions } from '../ports/channel.ts'
import { checkAnswer } from '../protocol/answer.ts'
import { DecisionNotAllowed, HitlAborted, HitlCancelled, HitlTimedOut } from '../protocol/errors.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { ChannelBase } from './base.ts'

/**
 * A channel whose answers come from this process. What the loop asks about tool calls is in the thread's journal all the same; what a tool's
 * body asks is not stored, and is gone with the process.
 */
export class InMemoryChannel extends ChannelBase {
  readonly durable = false

  wait(request: HitlRequest, options: WaitOptions = {}): Promise<JsonValue> {
    const seconds = this.timeoutOf(options)
    const asked =
      seconds === null ? request : { ...request, expiresAt: new Date(Date.now() + seconds * 1000).toISOString() }
    const { signal } = options
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        presentation.withdraw()
      }
      const onAbort = (): void => {
        end()
        this.tellSettled(asked, { ended: 'aborted' })
        reject(signal?.reason instanceof HitlAborted ? signal.reason : new HitlAborted(String(signal?.reason)))
      }
      const presentation = this.present({
        request: asked,
        submit: async (answer) => {
          const value = checkAny(asked, answer)
          end()
          this.tellSettled(asked, { answer: value })
          resolve(value)
        },
        cancel: async (reason) => {
          end()
          this.tellSettled(asked, { ended: 'cancelled' })
          reject(new HitlCancelled(reason))
        },
        fail: (error) => {
          end()
          reject(error)
        },
      })
      this.tellAsked(asked)
      if (seconds !== null) {
        timer = setTimeout(() => {
          end()
          this.tellSettled(asked, { ended: 'timed_out' })
          reject(new HitlTimedOut(seconds))
        }, seconds * 1000)
      }
      if (signal?.aborted) onAbort()
      else signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  protected askOutside(request: HitlRequest, options: WaitOptions): Promise<JsonValue> {
    return this.wait(request, options)
  }
}

function checkAny(request: HitlRequest, answer: unknown): JsonValue {
  if (request.kind !== 'approve') return checkAnswer({ ...request, kind: request.kind }, answer)
  const decision = parseDecision(answer)
  if (!request.allowedDecisions.includes(decision.type)) {
    throw new DecisionNotAllowed(request.id, decision.type, request.allowedDecisions)
  }
  return decision as JsonObject
}
