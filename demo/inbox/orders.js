/** @typedef {{ item: string, total: number, to: string, who: string, says: string, refund: number, reason: string, note?: string }} Order */

/** @type {Readonly<Record<number, Order>>} */
const ORDERS = {
  39: {
    item: 'Sieve',
    total: 1_800,
    to: 'n.ito@example.net',
    who: 'Nao Ito',
    says: 'The sieve has a hole.',
    refund: 1_800,
    reason: 'damaged',
  },
  31: {
    item: 'Stock pot, 12 l',
    total: 21_000,
    to: 'r.vega@example.com',
    who: 'Rita Vega',
    says: 'The pot is too heavy for me.',
    refund: 21_000,
    reason: 'other',
  },
  37: {
    item: 'Frying pan',
    total: 6_400,
    to: 'j.falk@example.org',
    who: 'Jon Falk',
    says: 'The handle of the pan is loose.',
    refund: 6_400,
    reason: 'damaged',
  },
  42: {
    item: 'Cast-iron pot with lid',
    total: 12_000,
    to: 'ada@example.com',
    who: 'Ada Okafor',
    says: 'The lid arrived cracked. I don’t want another one, I’d like my money back please.',
    refund: 12_000,
    reason: 'damaged',
    note: 'Lid cracked in transit, photo attached. Customer asked for money, not a replacement.',
  },
  44: {
    item: 'Six cups',
    total: 9_450,
    to: 'm.silva@example.net',
    who: 'Marta Silva',
    says: 'Two of the six cups are chipped.',
    refund: 3_150,
    reason: 'damaged',
  },
  47: {
    item: 'Tea strainer',
    total: 1_800,
    to: 'o.haas@example.org',
    who: 'Otto Haas',
    says: 'The tea strainer is missing from the parcel.',
    refund: 1_800,
    reason: 'missing',
  },
  51: {
    item: 'Two pans',
    total: 12_800,
    to: 'k.brown@example.net',
    who: 'Kim Brown',
    says: 'One of the two pans came with a scratch.',
    refund: 6_400,
    reason: 'damaged',
  },
}

const ITEMS = [
  'Kettle, red',
  'Lid, 20 cm',
  'Bread knife',
  'Milk jug',
  'Salad bowl',
  'Pepper mill',
  'Espresso cups',
  'Baking tray',
]
const NAMES = [
  'Ines Roca',
  'Paul Weiss',
  'Rosa Lind',
  'Tariq Aziz',
  'Yuki Mori',
  'Eva Novak',
  'Sam Odell',
  'Lea Martin',
]
const SAYS = [
  'arrived with a dent.',
  'came a week late.',
  'is not the colour I ordered.',
  'was missing from the parcel.',
]
const REASONS = ['damaged', 'late', 'other', 'missing']

/** An order. Those above 1000 are generated from their number, so that they are the same in every process. @param {number} orderId @returns {Order} */
export function orderOf(orderId) {
  const known = ORDERS[orderId]
  if (known) return known
  if (orderId <= 1000) throw new Error(`there is no order ${orderId}`)
  const who = NAMES[orderId % NAMES.length] ?? ''
  const item = ITEMS[(orderId * 3) % ITEMS.length] ?? ''
  const total = 1_250 + ((orderId * 737) % 14_000)
  return {
    item,
    total,
    to: `${who.toLowerCase().replace(' ', '.')}@example.com`,
    who,
    says: `${item}: it ${SAYS[orderId % SAYS.length]}`,
    refund: orderId % 3 === 0 ? Math.round(total / 2) : total,
    reason: REASONS[orderId % REASONS.length] ?? 'other',
  }
}

/** Cents as people write them. @param {number} cents */
export function euros(cents) {
  return `€${(cents / 100).toFixed(2)}`
}
