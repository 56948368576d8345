import { expect, it } from 'vitest'
import { ShortTurns } from './short-turns.ts'

const GROUP = 200
const WORK_MS = 0.2

/** Keeps the processor busy, as a thread does that goes on. */
function work(): void {
  const end = performance.now() + WORK_MS
  while (performance.now() < end);
}

/** The next turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Counts the turns of the event loop until something is over. */
async function turnsUntil(over: Promise<unknown>): Promise<number> {
  let isOver = false
  void over.then(() => {
    isOver = true
  })
  let turns = 0
  for (; !isOver; turns++) await turn()
  return turns
}

it('hands out a group in order, with turns of the event loop in between', async () => {
  const turns = new ShortTurns()
  const order: number[] = []
  const threads = Array.from({ length: GROUP }, async (_, thread) => {
    await new Promise<void>((resolve) => turns.give(resolve))
    work()
    order.push(thread)
    // What a thread does next belongs to its result, however many microtasks it takes.
    for (let n = 0; n < 5; n++) await undefined
    expect(order.at(-1)).toBe(thread)
  })
  // At most two or three of them fit into a slice.
  expect(await turnsUntil(Promise.all(threads))).toBeGreaterThan(GROUP / 4)
  expect(order).toEqual(Array.from({ length: GROUP }, (_, thread) => thread))
})

it('lets results through at once until a slice is over', async () => {
  const turns = new ShortTurns()
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(turns.pass()).toBeUndefined()
  work()
  work()
  const first = turns.pass()
  expect(first).toBeInstanceOf(Promise)
  const order: string[] = []
  const second = turns.pass()
  await Promise.all([second?.then(() => order.push('second')), first?.then(() => order.push('first'))])
  expect(order).toEqual(['first', 'second'])
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(turns.pass()).toBeUndefined()
})

it('lets nobody overtake those that wait', async () => {
  const turns = new ShortTurns()
  const order: number[] = []
  const wait = async (n: number) => {
    await turns.pass()
    order.push(n)
  }
  for (let n = 0; n < 3; n++) turns.give(() => order.push(n))
  await Promise.all([wait(3), wait(4)])
  expect(order).toEqual([0, 1, 2, 3, 4])
})

it('acts at a pause: after those that went on together, and not after all that wait', async () => {
  const turns = new ShortTurns()
  const order: string[] = []
  turns.atPause(() => order.push('nobody waits'))
  await undefined
  expect(order).toEqual(['nobody waits'])
  await turn()
  const group = Array.from({ length: 20 }, async (_, n) => {
    await new Promise<void>((resolve) => turns.give(resolve))
    order.push(`${n}`)
    if (n === 0) turns.atPause(() => order.push('pause'))
    work()
  })
  await Promise.all(group)
  expect(order.indexOf('pause')).toBeGreaterThan(order.indexOf('0'))
  expect(order.indexOf('pause')).toBeLessThan(order.indexOf('19'))
})
