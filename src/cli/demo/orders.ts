/** An order of the shop in the demo. */
export interface Order {
  orderId: string
  item: string
  amountCents: number
  currency: string
  email: string
}

const ORDERS: readonly Order[] = [
  { orderId: 'A-1042', item: 'Blue teapot', amountCents: 12_000, currency: 'EUR', email: 'ada@example.com' },
  { orderId: 'A-1043', item: 'Two cups', amountCents: 3_450, currency: 'EUR', email: 'lin@example.com' },
]

/** Finds an order. */
export function findOrder(orderId: string): Order | undefined {
  return ORDERS.find((order) => order.orderId === orderId)
}

/** What the customer of the demo writes. */
export const CUSTOMER_SAYS = 'My teapot from order A-1042 arrived broken. Can I have my money back?'

/** An amount as people write it. */
export function money(amountCents: number, currency: string): string {
  return `${currency} ${(amountCents / 100).toFixed(2)}`
}
