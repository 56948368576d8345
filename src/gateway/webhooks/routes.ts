import { z } from 'zod'
import { mayAdminister } from '../../core/access.ts'
import { timeBy } from '../../ports/clock.ts'
import { delivery, webhook, webhookBody } from '../../protocol/api/records.ts'
import { listDeliveries, resend, sendTest } from '../../webhooks/deliveries.ts'
import { webhookOf } from '../../webhooks/delivery.ts'
import { addTarget, findTarget, listTargets, removeTarget, rotateSecret, toWebhook } from '../../webhooks/targets.ts'
import { type Result, refuse } from '../refusal.ts'
import { type ApiCall, type ApiRoute, apiRoute } from '../v1/api-route.ts'
import { NOT_FOUND, notAllowed, ok } from '../v1/refusals.ts'

const page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(1000).exactOptional(),
})

/** How many test messages may wait for one target: all tenants have one queue. */
const MOST_TESTS = 10
const TESTS_WAIT = `${MOST_TESTS} test messages wait for this webhook already.`

/** The routes with which admins manage the webhooks of their tenant. */
export const webhookRoutes: readonly ApiRoute[] = [
  apiRoute({
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'The webhooks of the tenant, without their secrets. For admins',
    answer: z.object({ webhooks: z.array(webhook) }),
    handle: forAdmins(async ({ store }) => ok({ webhooks: (await listTargets(store)).map(toWebhook) })),
  }),
  apiRoute({
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Adds a webhook. The answer has its secret, which is shown once. For admins',
    body: webhookBody,
    answer: webhook,
    status: 201,
    refusals: [400],
    handle: forAdmins(async ({ store, parts, caller, body }) => {
      const settings = parts.settings.webhooks
      const added = await addTarget(store, { ...body, by: caller.sub }, { settings, now: timeBy(store.clock) })
      return ok(added)
    }),
  }),
  apiRoute({
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    summary: 'Removes a webhook. What waits for it is dropped. For admins',
    answer: null,
    refusals: [404],
    handle: forAdmins(async ({ store, http }) =>
      (await removeTarget(store, http.param('id'))) ? ok(undefined) : NOT_FOUND,
    ),
  }),
  apiRoute({
    method: 'POST',
    path: '/v1/webhooks/:id/rotate',
    summary: 'Makes a new secret, which is in the answer. The old one signs too for 24 hours. For admins',
    answer: webhook,
    refusals: [404],
    handle: forAdmins(async ({ store, http }) =>
      found(await rotateSecret(store, http.param('id'), timeBy(store.clock))),
    ),
  }),
  apiRoute({
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    summary: 'Sends a test message. For admins',
    answer: delivery,
    refusals: [404],
    handle: forAdmins(async ({ store, http }) => {
      const target = await findTarget(store, http.param('id'))
      if (!target) return NOT_FOUND
      const { deliveries } = await listDeliveries(store, { webhook: target.id, limit: 50 })
      const waiting = deliveries.filter(({ event, status }) => event === 'webhook.test' && status === 'waiting')
      if (waiting.length >= MOST_TESTS) return refuse(429, TESTS_WAIT, { 'retry-after': '10' })
      return ok(await sendTest(store, target.id, timeBy(store.clock)))
    }),
  }),
  apiRoute({
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    summary: 'Messages to a webhook and what became of them, newest first. For admins',
    query: page,
    answer: z.object({ deliveries: z.array(delivery), next: z.string().exactOptional() }),
    refusals: [400, 404],
    handle: forAdmins(async ({ store, http, query }) => {
      const target = await findTarget(store, http.param('id'))
      return target ? ok(await listDeliveries(store, { ...query, webhook: target.id })) : NOT_FOUND
    }),
  }),
  apiRoute({
    method: 'POST',
    path: '/v1/deliveries/:id/resend',
    summary: 'Sends a message again that failed or was delivered, with the same id. For admins',
    answer: delivery,
    refusals: [404],
    handle: forAdmins(async ({ store, http }) => {
      const id = http.param('id')
      return webhookOf(id) === undefined ? NOT_FOUND : found(await resend(store, id, timeBy(store.clock)))
    }),
  }),
]

function forAdmins<Query, Body>(
  handle: (call: ApiCall<Query, Body>) => Promise<Result<unknown>>,
): (call: ApiCall<Query, Body>) => Promise<Result<unknown>> {
  return async (call) => (mayAdminister(call.caller) ? handle(call) : notAllowed('Webhooks are for admins.'))
}

function found<T>(value: T | undefined): Result<T> {
  return value === undefined ? NOT_FOUND : ok(value)
}
