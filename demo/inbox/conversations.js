import { euros, orderOf } from './orders.js'
import { ASK_SET_UP, CLOSE_COUNT, DELETE_SESSIONS, DEPLOY_318, SHARE_INVOICE, SPRING_MAIL } from './scripts.js'

/**
 * One thing that somebody wants, and what the agents make of it.
 * @typedef {object} Conversation
 * @property {string} threadId
 * @property {string} agent who is asked
 * @property {string} text the words that begin it; they are its name
 * @property {Readonly<Record<string, readonly Step[]>>} steps what each agent does, in order
 *
 * @typedef {{ says: string, call: { name: string, args: import('holdpoint').JsonObject } }} Step
 */

/** The conversations that the demo begins with. Colleagues decide the first three; of the others the first has the nearest deadline and little at stake. @type {readonly string[]} */
export const FIRST = [
  ...[39, 37, 31].map(refundText),
  refundText(47),
  SHARE_INVOICE.text,
  refundText(42),
  SPRING_MAIL.text,
  DELETE_SESSIONS.text,
  DEPLOY_318.text,
  ASK_SET_UP.text,
  CLOSE_COUNT.text,
  refundText(44),
  refundText(51),
  generatedText(1),
  generatedText(2),
]

const SCRIPTED = [SHARE_INVOICE, SPRING_MAIL, DELETE_SESSIONS, DEPLOY_318, ASK_SET_UP, CLOSE_COUNT]

/** The conversation that begins with these words. @param {string} text @returns {Conversation} */
export function conversationOf(text) {
  const scripted = SCRIPTED.find((each) => each.text === text)
  if (scripted) return scripted
  const [, order] = /\bOrder (\d+)\.$/.exec(text) ?? []
  if (order !== undefined) return refundConversation(Number(order))
  const [, release] = /\bRelease (\d+)\.$/.exec(text) ?? []
  if (release !== undefined) return stagingConversation(Number(release))
  const [, cleanup] = /\bCleanup (\d+)\.$/.exec(text) ?? []
  if (cleanup !== undefined) return cartsConversation(Number(cleanup))
  throw new Error(`no conversation begins like this: ${text}`)
}

/** The words of the conversation with this number: mostly refunds, now and then something else. @param {number} number */
export function generatedText(number) {
  if (number % 7 === 5) return stagingText(320 + number)
  if (number % 7 === 2) return cartsText(number)
  return refundText(1000 + number)
}

/** @param {number} orderId */
function refundText(orderId) {
  return `${orderOf(orderId).says} Order ${orderId}.`
}

/** @param {number} orderId @returns {Conversation} */
function refundConversation(orderId) {
  const { item, to, refund, total, reason, note } = orderOf(orderId)
  const text = refundText(orderId)
  const args = { amount: refund, to, orderId, reason, notify: true, ...(note === undefined ? {} : { note }) }
  const part = refund === total ? 'the whole order' : `part of ${euros(total)}`
  return {
    threadId: `order-${orderId}`,
    agent: 'support-desk',
    text,
    steps: {
      'support-desk': [
        {
          says: 'I am sorry to hear that. Let me look at your order and see what I can do. I will hand this to billing, which can check the payment.',
          call: { name: 'ask_billing', args: { input: text } },
        },
      ],
      billing: [
        { says: 'Let me find the order.', call: { name: 'lookup_order', args: { orderId } } },
        {
          says: `The customer wrote within the 14-day window about: ${item}. Nothing was refunded before. I will refund ${euros(refund)}, which is ${part}, and notify the customer.`,
          call: { name: 'refund', args },
        },
      ],
    },
  }
}

/** @param {number} number */
function stagingText(number) {
  return `Put the documentation on staging so that we can read it. Release ${number}.`
}

/** @param {number} number @returns {Conversation} */
function stagingConversation(number) {
  const text = stagingText(number)
  const version = `2.${number % 100}.0`
  return {
    threadId: `release-${number}`,
    agent: 'platform',
    text,
    steps: {
      platform: [{ says: 'I will ask release.', call: { name: 'ask_release', args: { input: text } } }],
      release: [
        { says: 'Let me check the tests.', call: { name: 'ci_status', args: { commit: `b7d${number}` } } },
        {
          says: 'Tests are green. Staging has no visitors, so this is safe.',
          call: {
            name: 'deploy',
            args: {
              service: 'docs',
              version,
              image: `registry.acme.example/docs:${version}`,
              strategy: 'rolling',
              environment: 'staging',
              registryToken: 'demo-token-that-opens-nothing-0000000000',
            },
          },
        },
      ],
    },
  }
}

/** @param {number} number */
function cartsText(number) {
  return `Clear the carts that nobody touched for a year. Cleanup ${number}.`
}

/** @param {number} number @returns {Conversation} */
function cartsConversation(number) {
  const where = "updated_at < now() - interval '365 days'"
  return {
    threadId: `cleanup-${number}`,
    agent: 'data-steward',
    text: cartsText(number),
    steps: {
      'data-steward': [
        { says: 'Let me count first.', call: { name: 'count_rows', args: { table: 'carts', where } } },
        {
          says: 'These carts belong to visitors who never came back. Deleting them frees the stock that they hold.',
          call: {
            name: 'delete_rows',
            args: { statement: `DELETE FROM carts\n WHERE ${where}`, rows: 312, table: 'carts', database: 'shop-eu-1' },
          },
        },
      ],
    },
  }
}
