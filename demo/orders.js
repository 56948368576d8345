/**
 * An order of the demo's shop.
 * @typedef {{ orderId: string, item: string, amountCents: number, currency: string, email: string }} Order
 */

/** @type {readonly Order[]} */
const ORDERS = [
  { orderId: 'A-1042', item: 'Blue teapot', amountCents: 12_000, currency: 'EUR', email: 'ada@example.com' },
  { orderId: 'A-1043', item: 'Two cups', amountCents: 3_450, currency: 'EUR', email: 'lin@example.com' },
]

/** @param {string} orderId */
export function findOrder(orderId) {
  return ORDERS.find((order) => order.orderId === orderId)
}

/** What the customer writes. */
export const CUSTOMER_SAYS = 'My teapot from order A-1042 arrived broken. Can I have my money back?'

/** An amount as people write it. @param {number} amountCents @param {string} currency */
export function money(amountCents, currency) {
  return `${currency} ${(amountCents / 100).toFixed(2)}`
}
