import type { Delivery, Webhook } from '../../../protocol/api/webhooks.ts'
import { type WebhookEvent, webhookEvents } from '../../../webhooks/targets/targets.ts'
import { answerOptions, type Call, type Command } from '../../command-line/command.ts'
import { relative } from '../../render/time.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { withWebhooks } from '../../seat/webhooks.ts'

const PAGE = 200

const list: Command = {
  name: 'webhooks list',
  summary: 'list the webhooks of the tenant',
  usage: '',
  options: {},
  remote: true,
  positionals: { min: 0, max: 0 },
  run: (call) =>
    withWebhooks(call, async (desk) => {
      const { webhooks } = await desk.list()
      const lines = webhooks.flatMap((each) => webhookLines(call, each))
      return printList(call, { json: { webhooks }, lines, none: 'There are no webhooks.' })
    }),
}

const add: Command = {
  name: 'webhooks add',
  summary: 'tell a URL about requests',
  about:
    'Prints the secret with which messages are signed. It is shown only this once. The gateway that sends checks the address: see its option webhooks.allowNetworks.',
  usage: 'URL [--event NAME …]',
  options: {
    event: { value: 'NAME', multiple: true, help: `one of ${webhookEvents.join(', ')} (default: all)` },
    as: answerOptions.as,
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ['webhooks add https://example.com/hooks --event request.opened'],
  run: (call) => {
    const events = call.texts('event') as WebhookEvent[]
    const body = { url: call.args[0] ?? '', ...(events.length === 0 ? {} : { events }) }
    return withWebhooks(call, async (desk) => printSecret(call, await desk.add(body)), { writes: true })
  },
}

const pause: Command = {
  ...change(false),
  name: 'webhooks pause',
  summary: 'send nothing to a webhook until it is resumed',
  about: 'It is not told later of what happens meanwhile. Messages that wait already are still sent.',
}

const resume: Command = {
  ...change(true),
  name: 'webhooks resume',
  summary: 'tell a paused webhook about requests again',
}

function change(enabled: boolean): Pick<Command, 'usage' | 'options' | 'remote' | 'positionals' | 'run'> {
  return {
    usage: 'ID',
    options: {},
    remote: true,
    positionals: { min: 1, max: 1 },
    run: (call) =>
      withWebhooks(call, async (desk) => {
        const webhook = await desk.change(call.args[0] ?? '', { enabled })
        if (call.flag('json')) call.context.out(safeJson(webhook))
        else call.context.out(...webhookLines(call, webhook))
        return 0
      }),
  }
}

const rotate: Command = {
  name: 'webhooks rotate',
  summary: 'give a webhook a new secret',
  about: 'Messages are signed with the old secret too for 24 hours.',
  usage: 'ID',
  options: {},
  remote: true,
  positionals: { min: 1, max: 1 },
  run: (call) => withWebhooks(call, async (desk) => printSecret(call, await desk.rotate(call.args[0] ?? ''))),
}

const remove: Command = {
  name: 'webhooks remove',
  summary: 'remove a webhook',
  about: 'Messages that wait for it are dropped.',
  usage: 'ID',
  options: {},
  remote: true,
  positionals: { min: 1, max: 1 },
  run: (call) =>
    withWebhooks(call, async (desk) => {
      const [id = ''] = call.args
      await desk.remove(id)
      call.context.out(call.flag('json') ? safeJson({ removed: id }) : `Removed ${visible(id)}.`)
      return 0
    }),
}

const dead: Command = {
  name: 'webhooks dead',
  summary: 'list messages that could not be delivered',
  usage: '[--webhook ID]',
  options: { webhook: { value: 'ID', help: 'only those to this webhook' } },
  remote: true,
  positionals: { min: 0, max: 0 },
  run: (call) =>
    withWebhooks(call, async (desk) => {
      const one = call.text('webhook')
      const ids = one === undefined ? (await desk.list()).webhooks.map(({ id }) => id) : [one]
      const failed: Delivery[] = []
      for (const id of ids) {
        let cursor: string | undefined
        do {
          const page = await desk.deliveries(id, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
          failed.push(...page.deliveries.filter(({ status }) => status === 'failed'))
          cursor = page.next
        } while (cursor !== undefined)
      }
      const lines = failed.flatMap((each) => deliveryLines(call, each))
      return printList(call, { json: { deliveries: failed }, lines, none: 'There are no undelivered messages.' })
    }),
}

const again: Command = {
  name: 'webhooks resend',
  summary: 'send a message again, with the same id',
  about: 'A gateway that serves this store sends it.',
  usage: 'ID',
  options: {},
  remote: true,
  positionals: { min: 1, max: 1 },
  run: (call) =>
    withWebhooks(call, async (desk) => {
      const waiting = await desk.resend(call.args[0] ?? '')
      if (call.flag('json')) call.context.out(safeJson(waiting))
      else call.context.out(...deliveryLines(call, waiting))
      return 0
    }),
}

/** Manages webhooks, at a gateway or on a store. */
export const webhookCommands: readonly Command[] = [list, add, pause, resume, rotate, remove, dead, again]

function printList(call: Call, { json, lines, none }: { json: object; lines: string[]; none: string }): number {
  if (call.flag('json')) call.context.out(safeJson(json))
  else call.context.out(...(lines.length === 0 ? [none] : lines))
  return 0
}

function printSecret(call: Call, { secret = '', ...webhook }: Webhook): number {
  if (call.flag('json')) call.context.out(safeJson({ ...webhook, secret }))
  else call.context.out(...webhookLines(call, webhook), `  secret, shown only now: ${secret}`)
  return 0
}

function webhookLines({ context: { style, now } }: Call, webhook: Webhook): string[] {
  const { id, url, events, enabled, createdAt, createdBy } = webhook
  return [
    `${style.accent(id)}  ${style.bold(visible(url))}`,
    `  ${events.join(', ')}${enabled ? '' : `  ${style.bad('paused')}`}`,
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
