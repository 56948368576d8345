import type { InboxClient } from '../../client.ts'
import type { Store } from '../../index.ts'
import { listDeliveries, resend } from '../../webhooks/deliveries.ts'
import { toWebhookSettings } from '../../webhooks/options.ts'
import {
  addTarget,
  enableTarget,
  findTarget,
  listTargets,
  removeTarget,
  rotateSecret,
  toWebhook,
} from '../../webhooks/targets/targets.ts'
import type { Call } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { visible } from '../render/visible.ts'
import { withStore } from '../store/open-store.ts'
import { actorOf } from './actor.ts'
import { gatewayOf } from './gateway-place.ts'

/** What admins do with webhooks, at a gateway or on a store. */
export type WebhookDesk = Pick<
  InboxClient['webhooks'],
  'list' | 'add' | 'remove' | 'change' | 'rotate' | 'deliveries' | 'resend'
>

/** Whoever can write the store decides where it may lead. The gateway that sends checks the address by its own rules. */
const ANYWHERE = toWebhookSettings({ allowNetworks: ['0.0.0.0/0', '::/0'] })

/** Manages webhooks for the time of `work`: at the gateway that the options name, else on a store. */
export async function withWebhooks<T>(
  call: Call,
  work: (desk: WebhookDesk) => Promise<T>,
  { writes = false }: { writes?: boolean } = {},
): Promise<T> {
  const at = gatewayOf(call)
  if (at) return work(at.client.webhooks)
  if (writes) actorOf(call)
  return withStore(call, (store) => work(storeWebhooks(call, store)))
}

function storeWebhooks(call: Call, store: Store): WebhookDesk {
  const { now } = call.context
  return {
    list: async () => ({ webhooks: (await listTargets(store)).map(toWebhook) }),
    add: (body) => addTarget(store, { ...body, by: actorOf(call).id }, { settings: ANYWHERE, now: now() }),
    rotate: async (id) => found('webhook', id, await rotateSecret(store, id, { now: now() })),
    change: async (id, body) => found('webhook', id, await enableTarget(store, id, body)),
    async remove(id) {
      if (!(await removeTarget(store, id))) missing('webhook', id)
    },
    async deliveries(id, query) {
      found('webhook', id, await findTarget(store, id))
      return listDeliveries(store, { ...query, webhook: id })
    },
    resend: async (id) => found('message', id, await resend(store, id, { now: now() })),
  }
}

function found<T>(what: 'webhook' | 'message', id: string, value: T | undefined): T {
  return value === undefined ? missing(what, id) : value
}

function missing(what: 'webhook' | 'message', id: string): never {
  throw new CliError('not_found', `There is no ${what} ${visible(id)} in this tenant.`)
}
