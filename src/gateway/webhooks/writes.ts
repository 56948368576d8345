import { timeBy } from '../../ports/clock.ts'
import type { WebhookBody, WebhookChange } from '../../protocol/api/webhooks.ts'
import { deliveryRecords, findDelivery, listDeliveries, resend, sendTest, testId } from '../../webhooks/deliveries.ts'
import { webhookOf } from '../../webhooks/delivery.ts'
import { newSecret } from '../../webhooks/targets/signature.ts'
import {
  addTarget,
  enableTarget,
  findMarked,
  findTarget,
  freshTarget,
  removeTarget,
  rotateSecret,
  secretMark,
  toWebhook,
} from '../../webhooks/targets/targets.ts'
import type { Reply } from '../http/reply.ts'
import { type Result, refuse } from '../refusal.ts'
import type { ApiCall } from '../v1/api-route.ts'
import { type KeyedWrite, keyOf, once } from '../v1/idempotency.ts'
import { NOT_FOUND, ok } from '../v1/refusals.ts'
import { toAnswer } from '../v1/requests/write-request.ts'

type Answer = Promise<Result<unknown> | Reply>

/** How many test messages may wait for one target: all tenants have one queue. */
const MOST_TESTS = 10
const TESTS_WAIT = `${MOST_TESTS} test messages wait for this webhook already.`

/** Adds a target. */
export function add(call: ApiCall<unknown, WebhookBody>): Answer {
  const { store, parts, caller, body } = call
  const fresh = freshTarget()
  const options = { settings: parts.settings.webhooks, now: timeBy(store.clock), fresh }
  return writeOnce(call, {
    status: 201,
    subject: secretMark(fresh.id, fresh.secret),
    replay: async (mark = '') => found(await findMarked(store, mark)),
    write: async (also) => ok(await addTarget(store, { ...body, by: caller.sub }, { ...options, also })),
  })
}

/** Pauses the target of the path, or lets it go on. */
export function change(call: ApiCall<unknown, WebhookChange>): Answer {
  const { store, http, body } = call
  const id = http.param('id')
  return writeOnce(call, {
    replay: async () => {
      const target = await findTarget(store, id)
      return found(target && toWebhook(target))
    },
    write: async (also) => found(await enableTarget(store, id, { ...body, also })),
  })
}

/** Removes the target of the path. */
export function remove(call: ApiCall): Answer {
  return writeOnce(call, {
    replay: async () => ok(undefined),
    write: async (also) => ((await removeTarget(call.store, call.http.param('id'), also)) ? ok(undefined) : NOT_FOUND),
  })
}

/** Gives the target of the path a new secret. */
export function rotate(call: ApiCall): Answer {
  const { store, http } = call
  const id = http.param('id')
  const fresh = newSecret()
  return writeOnce(call, {
    subject: secretMark(id, fresh),
    replay: async (mark = '') => found(await findMarked(store, mark)),
    write: async (also) => found(await rotateSecret(store, id, { now: timeBy(store.clock), fresh, also })),
  })
}

/** Sends a test message to the target of the path. */
export async function test(call: ApiCall): Answer {
  const { store, http } = call
  const target = await findTarget(store, http.param('id'))
  if (!target) return NOT_FOUND
  const now = timeBy(store.clock)
  const id = testId(target.id, now)
  return writeOnce(call, {
    subject: id,
    keys: deliveryRecords(store),
    replay: async (sent = '') => found(await findDelivery(store, sent)),
    async write(also) {
      const { deliveries } = await listDeliveries(store, { webhook: target.id, limit: 50 })
      const waiting = deliveries.filter(({ event, status }) => event === 'webhook.test' && status === 'waiting')
      if (waiting.length >= MOST_TESTS) return refuse(429, TESTS_WAIT, { 'retry-after': '10' })
      return ok(await sendTest(store, target.id, { now, id, also }))
    },
  })
}

/** Sends the message of the path again. */
export async function sendAgain(call: ApiCall): Answer {
  const { store, http } = call
  const id = http.param('id')
  if (webhookOf(id) === undefined) return NOT_FOUND
  return writeOnce(call, {
    keys: deliveryRecords(store),
    replay: async () => found(await findDelivery(store, id)),
    write: async (also) => found(await resend(store, id, { now: timeBy(store.clock), also })),
  })
}

/** Writes once for the call's idempotency key, if it has one. */
async function writeOnce<T>(call: ApiCall, write: Omit<KeyedWrite<T>, 'body'>): Promise<Result<T> | Reply> {
  const key = keyOf(call)
  return key.ok ? toAnswer(await once(call, key.value, { ...write, body: call.body ?? null })) : key
}

function found<T>(value: T | undefined): Result<T> {
  return value === undefined ? NOT_FOUND : ok(value)
}
