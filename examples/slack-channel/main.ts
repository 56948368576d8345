// A channel of your own: approvals as messages in Slack, with buttons. A small server on this machine stands in for Slack.
import { Agent, memoryStore, openDesk, tool } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import { z } from 'zod'
import { SlackChannel } from './slack-channel.ts'
import { slackStandIn } from './slack-stand-in.ts'

const signingSecret = 'a secret that Slack shows you'
const slack = await slackStandIn(signingSecret, (body, headers) => channel.handle(body, headers))
const channel = new SlackChannel({ url: slack.url, token: 'xoxb-token', signingSecret, channel: '#approvals' })

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: z.object({ orderId: z.string() }),
  needsApproval: true,
  execute: ({ orderId }) => `Order ${orderId} is refunded.`,
})
const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args: { orderId: '42' } }] }, 'Refunded.'])
const agent = new Agent({ name: 'clerk', model, tools: [refund] })
const store = memoryStore()
const result = await agent.thread('order-42', { store, channel }).prompt('Refund order 42.')
const [request] = (await openDesk({ store }).list()).requests
console.log(`${request?.decision?.type} by ${request?.decision?.by.id}: ${result.status}`)
slack.close()
