import { z } from 'zod'
import { mayAdminister } from '../../core/access.ts'
import { delivery, webhook, webhookBody, webhookChange } from '../../protocol/api/webhooks.ts'
import { listDeliveries } from '../../webhooks/deliveries.ts'
import { findTarget, listTargets, toWebhook } from '../../webhooks/targets/targets.ts'
import type { Reply } from '../http/reply.ts'
import type { Result } from '../refusal.ts'
import { type ApiCall, type ApiRoute, apiRoute } from '../v1/api-route.ts'
import { NOT_FOUND, notAllowed, ok } from '../v1/refusals.ts'
import { add, change, remove, rotate, sendAgain, test } from './writes.ts'

const page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(1000).exactOptional(),
})

/** The routes with which admins manage the webhooks of their tenant. */
export const webhookRoutes: readonly ApiRoute[] = [
  apiRoute({
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'The webhooks of the tenant, without their secrets. For admins',
    answer: z.object({ webhooks: z.array(webhook()) }),
    handle: forAdmins(async ({ store }) => ok({ webhooks: (await listTargets(store)).map(toWebhook) })),
  }),
  apiRoute({
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Adds a webhook. The answer has its secret, which is shown once. For admins',
    body: webhookBody(),
    answer: webhook(),
    status: 201,
    refusals: [400],
    keyed: true,
    handle: forAdmins(add),
  }),
  apiRoute({
    method: 'POST',
    path: '/v1/webhooks/:id',
    summary: 'Pauses a webhook, or lets it go on. A paused one is told nothing of what happens meanwhile. For admins',
    body: webhookChange(),
    answer: webhook(),
    refusals: [400, 404],
    keyed: true,
    handle: forAdmins(change),
  }),
  apiRoute({
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    summary: 'Removes a webhook. What waits for it is dropped. For admins',
    answer: null,
    refusals: [404],
    keyed: true,
    handle: forAdmins(remove),
  }),
  apiRoute({
    method: 'POST',
    path: '/v1/webhooks/:id/rotate',
    summary: 'Makes a new secret, which is in the answer. The old one signs too for 24 hours. For admins',
    answer: webhook(),
    refusals: [404],
    keyed: true,
    handle: forAdmins(rotate),
  }),
  apiRoute({
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    summary: 'Sends a test message. For admins',
    answer: delivery(),
    refusals: [404],
    keyed: true,
    handle: forAdmins(test),
  }),
  apiRoute({
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    summary: 'Messages to a webhook and what became of them, newest first. For admins',
    query: page,
    answer: z.object({ deliveries: z.array(delivery()), next: z.string().exactOptional() }),
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
    answer: delivery(),
    refusals: [404],
    keyed: true,
    handle: forAdmins(sendAgain),
  }),
]

function forAdmins<Query, Body>(
  handle: (call: ApiCall<Query, Body>) => Promise<Result<unknown> | Reply>,
): (call: ApiCall<Query, Body>) => Promise<Result<unknown> | Reply> {
  return async (call) => (mayAdminister(call.caller) ? handle(call) : notAllowed('Webhooks are for admins.'))
}
