import { parseDecision } from '../desk/answer/check.ts'
import type { WaitEnding, WaitOptions } from '../ports/channel.ts'
import { after, systemClock } from '../ports/clock.ts'
import { whenAborted } from '../ports/signals.ts'
import { checkAnswer } from '../protocol/answer.ts'
import {
  DecisionNotAllowed,
  HitlAborted,
  HitlCancelled,
  HitlControlException,
  HitlDetached,
  HitlTimedOut,
} from '../protocol/errors/errors.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { ChannelBase } from './base.ts'

/**
 * A channel whose answers come from this process. Questions of the loop about tool calls are in the thread's journal all the same. Questions of a
 * tool's body are not stored and are lost with the process.
 */
export class InMemoryChannel extends ChannelBase {
  readonly durable = false

  wait(request: HitlRequest, options: WaitOptions = {}): Promise<JsonValue> {
    const seconds = this.timeoutOf(options)
    const asked = seconds === null ? request : { ...request, expiresAt: this.#in(seconds) }
    const { signal } = options
    return new Promise((resolve, reject) => {
      const settling: (() => void)[] = []
      /** Ends the wait. Only the first call counts. */
      const settle = (ending: WaitEnding, conclude: () => void): void => {
        for (const undo of settling.splice(0)) undo()
        this.tellSettled(asked, ending)
        conclude()
      }
      const onAbort = (): void => {
        const reason =
          signal?.reason instanceof HitlControlException ? signal.reason : new HitlAborted(String(signal?.reason))
        settle({ ended: reason instanceof HitlDetached ? 'detached' : 'aborted' }, () => reject(reason))
      }
      const presentation = this.present({
        request: asked,
        submit: async (answer) => {
          const value = checkAny(asked, answer)
          settle({ answer: value }, () => resolve(value))
        },
        cancel: async (reason) => settle({ ended: 'cancelled' }, () => reject(new HitlCancelled(reason))),
        fail: (error) => settle({ ended: 'aborted' }, () => reject(error)),
      })
      settling.push(() => presentation.withdraw())
      if (seconds !== null) {
        const expire = (): void => settle({ ended: 'timed_out' }, () => reject(new HitlTimedOut(seconds)))
        settling.push(after(seconds * 1000, expire, this.clock))
      }
      // Observers are notified last, because a listener may answer at once.
      this.tellAsked(asked)
      if (signal && settling.length > 0) settling.push(whenAborted(signal, onAbort))
    })
  }

  #in(seconds: number): string {
    return new Date((this.clock ?? systemClock).now() + seconds * 1000).toISOString()
  }

  protected askOutside(request: HitlRequest, options: WaitOptions): Promise<JsonValue> {
    return this.wait(request, options)
  }
}

function checkAny(request: HitlRequest, answer: unknown): JsonValue {
  if (request.kind !== 'approve') return checkAnswer({ ...request, kind: request.kind }, answer)
  const decision = parseDecision(answer)
  if (!request.allowedDecisions.includes(decision.type)) {
    throw new DecisionNotAllowed(request, decision.type, request.allowedDecisions)
  }
  return decision as JsonObject
}
