import assert from 'node:assert/strict'
import type { Asked, Channel } from '../../ports/channel.ts'
import type { Actor } from '../../protocol/decision.ts'
import { type ErrorCode, HoldpointError } from '../../protocol/errors/errors.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { endsWithin } from '../ends-within.ts'
import type { ChannelHarness } from './channel-case.ts'

/** A tool call for the `approve` verb. */
export const REFUND = { toolName: 'refund', toolCallId: 'call-1', args: { orderId: 42 } }

/** The timeout for something that must happen. */
const PATIENCE_MS = 1_000

/** Runs a check on a channel without questions. */
export async function onFreshChannel(
  harness: ChannelHarness,
  work: (channel: Channel) => Promise<void>,
  options: { defaultTimeoutSeconds?: number | null } = {},
): Promise<void> {
  const { channel, close } = await harness.create(options)
  try {
    await work(handled(channel))
  } finally {
    await close?.()
  }
}

/** Wraps a channel so that a verb left waiting by a failing case is no unhandled rejection. */
function handled(channel: Channel): Channel {
  return new Proxy(channel, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const returned: unknown = member.apply(target, args)
        if (returned instanceof Promise) returned.catch(() => undefined)
        return returned
      }
    },
  })
}

/** Fails unless work ends in time: a channel that forgets a waiter must not stop the suite. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return endsWithin(PATIENCE_MS, work)
}

/** Fails unless work is rejected with this code. Resolves to the error. */
export async function refusedWith<T extends HoldpointError>(work: Promise<unknown>, code: ErrorCode): Promise<T> {
  const outcome = await inTime(
    work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
  )
  assert.ok('error' in outcome, `it was accepted (${JSON.stringify(outcome)}), not refused with ${code}`)
  assert.ok(HoldpointError.isInstance(outcome.error), `not an error of holdpoint: ${String(outcome.error)}`)
  assert.equal(outcome.error.code, code)
  return outcome.error as T
}

/** Waits for a shown question. */
export async function shown(channel: Channel, after?: string): Promise<HitlRequest> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 2) {
    const { pending } = channel
    if (pending && pending.id !== after) return pending
    await pause(2)
  }
  throw new assert.AssertionError({ message: 'no question was shown' })
}

/** Fails if a question is shown now or shortly after. */
export async function assertFree(channel: Channel): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS && channel.pending; waited += 2) await pause(2)
  assert.equal(channel.pending, undefined)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

/** A question for `present` that records its outcome. */
export function presented(id: string): Asked & { answers: { answer: unknown; by: Actor }[]; cancels: string[] } {
  const answers: { answer: unknown; by: Actor }[] = []
  const cancels: string[] = []
  return {
    answers,
    cancels,
    request: {
      id,
      questionId: `q-${id}`,
      threadId: 't',
      tenant: 'default',
      kind: 'confirm',
      status: 'open',
      version: 1,
      agent: 'a',
      path: ['a'],
      prompt: `${id}?`,
      allowedDecisions: [],
      createdAt: new Date(0).toISOString(),
    },
    submit: async (answer, by) => {
      answers.push({ answer, by })
    },
    cancel: async (reason) => {
      cancels.push(reason)
    },
    fail: () => undefined,
  }
}
