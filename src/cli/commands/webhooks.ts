import type { Delivery, Webhook } from '../../protocol/api/records.ts'
import { listDeliveries, resend } from '../../webhooks/deliveries.ts'
import { toWebhookSettings } from '../../webhooks/options.ts'
import {
  addTarget,
  listTargets,
  removeTarget,
  rotateSecret,
  toWebhook,
  type WebhookEvent,
  webhookEvents,
} from '../../webhooks/targets.ts'
import { answerOptions, type Call, type Command } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { relative } from '../render/time.ts'
import { safeJson, visible } from '../render/visible.ts'
import { actorOf } from '../seat/actor.ts'
import { withStore } from '../store/open-store.ts'

const PAGE = 500

const list: Command = {
  name: 'webhooks list',
  summary: 'list the webhooks of the tenant',
  usage: '',
  options: {},
  positionals: { min: 0, max: 0 },
  run: (call) =>
    withStore(call, async (store) => {
      const webhooks = (await listTargets(store)).map(toWebhook)
      if (call.flag('json')) call.context.out(safeJson({ webhooks }))
      else if (webhooks.length === 0) call.context.out('There are no webhooks.')
      else call.context.out(...webhooks.flatMap((each) => webhookLines(call, each)))
      return 0
    }),
}

const add: Command = {
  name: 'webhooks add',
  summary: 'tell a URL about requests',
  about: 'Prints the secret with which messages are signed. It is shown only this once.',
  usage: 'URL [--event NAME …]',
  options: {
    event: { value: 'NAME', multiple: true, help: `one of ${webhookEvents.join(', ')} (default: all)` },
    'allow-network': {
      value: 'NET',
      multiple: true,
      help: 'accept an address in this network, such as 10.0.0.0/8; the gateway must allow it too',
    },
    as: answerOptions.as,
  },
  positionals: { min: 1, max: 1 },
  examples: ['webhooks add https://example.com/hooks --event request.opened'],
  run: (call) => {
    const by = actorOf(call)
    const settings = toWebhookSettings({ allowNetworks: call.texts('allow-network') })
    const events = call.texts('event') as readonly WebhookEvent[]
    return withStore(call, async (store) => {
      const target = { url: call.args[0] ?? '', by: by.id, ...(events.length === 0 ? {} : { events }) }
      const added = await addTarget(store, target, { settings, now: call.context.now() })
      return printSecret(call, added)
    })
  },
}

const rotate: Command = {
  name: 'webhooks rotate',
  summary: 'give a webhook a new secret',
  about: 'Messages are signed with the old secret too for 24 hours.',
  usage: 'ID',
  options: {},
  positionals: { min: 1, max: 1 },
  run: (call) =>
    withStore(call, async (store) => {
      const [id = ''] = call.args
      return printSecret(call, (await rotateSecret(store, id, call.context.now())) ?? missing('webhook', id))
    }),
}

const remove: Command = {
  name: 'webhooks remove',
  summary: 'remove a webhook',
  about: 'Messages that wait for it are dropped.',
  usage: 'ID',
  options: {},
  positionals: { min: 1, max: 1 },
  run: (call) =>
    withStore(call, async (store) => {
      const [id = ''] = call.args
      if (!(await removeTarget(store, id))) missing('webhook', id)
      call.context.out(call.flag('json') ? safeJson({ removed: id }) : `Removed ${visible(id)}.`)
      return 0
    }),
}

const dead: Command = {
  name: 'webhooks dead',
  summary: 'list messages that could not be delivered',
  usage: '[--webhook ID]',
  options: { webhook: { value: 'ID', help: 'only those to this webhook' } },
  positionals: { min: 0, max: 0 },
  run: (call) =>
    withStore(call, async (store) => {
      const one = call.text('webhook')
      const targets = (await listTargets(store)).filter(({ id }) => one === undefined || id === one)
      if (one !== undefined && targets.length === 0) missing('webhook', one)
      const failed: Delivery[] = []
      for (const { id: webhook } of targets) {
        let cursor: string | undefined
        do {
          const page = await listDeliveries(store, { webhook, limit: PAGE, cursor })
          failed.push(...page.deliveries.filter(({ status }) => status === 'failed'))
          cursor = page.next
        } while (cursor !== undefined)
      }
      if (call.flag('json')) call.context.out(safeJson({ deliveries: failed }))
      else if (failed.length === 0) call.context.out('There are no undelivered messages.')
      else call.context.out(...failed.flatMap((each) => deliveryLines(call, each)))
      return 0
    }),
}

const again: Command = {
  name: 'webhooks resend',
  summary: 'send a message again, with the same id',
  about: 'A gateway that serves this store sends it.',
  usage: 'ID',
  options: {},
  positionals: { min: 1, max: 1 },
  run: (call) =>
    withStore(call, async (store) => {
      const [id = ''] = call.args
      const waiting = (await resend(store, id, call.context.now())) ?? missing('message', id)
      if (call.flag('json')) call.context.out(safeJson(waiting))
      else call.context.out(...deliveryLines(call, waiting))
      return 0
    }),
}

/** Manages webhooks on a store. */
export const webhookCommands: readonly Command[] = [list, add, rotate, remove, dead, again]

function missing(what: 'webhook' | 'message', id: string): never {
  throw new CliError('not_found', `There is no ${what} ${visible(id)} in this tenant.`)
}

function printSecret(call: Call, { secret = '', ...webhook }: Webhook): number {
  if (call.flag('json')) call.context.out(safeJson({ ...webhook, secret }))
  else call.context.out(...webhookLines(call, webhook), `  secret, shown only now: ${secret}`)
  return 0
}

function webhookLines({ context: { style, now } }: Call, webhook: Webhook): string[] {
  const { id, url, events, createdAt, createdBy } = webhook
  return [
    `${style.accent(id)}  ${style.bold(visible(url))}`,
    `  ${events.join(', ')}`,
    `  ${style.dim(`added by ${visible(createdBy)} ${relative(createdAt, now())}`)}`,
  ]
}

function deliveryLines({ context: { style, now } }: Call, delivery: Delivery): string[] {
  const { id, event, request, status, attempts, lastError, createdAt } = delivery
  return [
    `${style.accent(id)}  ${style.bold(event)} ${visible(request)}`,
    `  ${status}, ${attempts} attempts${lastError === undefined ? '' : `: ${visible(lastError)}`}`,
    `  ${style.dim(relative(createdAt, now()))}`,
  ]
}
