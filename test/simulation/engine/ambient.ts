import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Machine } from './machine.ts'
import { here } from './machine.ts'
import type { Scheduler } from './scheduler.ts'

/** A timer of a simulated process. */
interface Timer {
  cancel(): void
  unref(): Timer
  ref(): Timer
}

/**
 * Replaces what a process takes from its machine while `work` runs: clocks, timers, randomness. Code outside of simulated processes keeps the real
 * clocks and timers.
 */
export async function withAmbient<T>(scheduler: Scheduler, work: () => Promise<T>): Promise<T> {
  const undo = [...clocks(scheduler), ...timers(scheduler), ...randomness(scheduler)]
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}

type Undo = () => void

function replace<T extends object, K extends keyof T>(object: T, key: K, value: T[K]): Undo {
  const before = object[key]
  object[key] = value
  return () => {
    object[key] = before
  }
}

function clocks(scheduler: Scheduler): Undo[] {
  const [date, steady] = [Date.now, performance.now.bind(performance)]
  return [
    replace(Date, 'now', () => {
      const machine = here()
      return machine ? scheduler.now + machine.skewMs : date()
    }),
    replace(performance, 'now', () => (here() ? scheduler.now : steady())),
  ]
}

function timers(scheduler: Scheduler): Undo[] {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval }
  const start = (machine: Machine, everyMs: number | undefined, delayMs: number, act: () => void): Timer => {
    const arm = (ms: number): (() => void) =>
      scheduler.park(machine, ms, () => {
        if (everyMs !== undefined) cancel = arm(everyMs)
        act()
      })
    let cancel = arm(delayMs)
    const timer: Timer = { cancel: () => cancel(), unref: () => timer, ref: () => timer }
    return timer
  }
  const starter =
    (name: 'setTimeout' | 'setInterval') =>
    (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const machine = here()
      if (!machine) return real[name](act, ms, ...args)
      return start(machine, name === 'setInterval' ? ms : undefined, ms, () => act(...args))
    }
  const clearer = (name: 'clearTimeout' | 'clearInterval') => (timer: unknown) => {
    if (timer && typeof (timer as Timer).cancel === 'function') (timer as Timer).cancel()
    else real[name](timer as NodeJS.Timeout)
  }
  return [
    replace(globalThis, 'setTimeout', starter('setTimeout') as unknown as typeof setTimeout),
    replace(globalThis, 'setInterval', starter('setInterval') as unknown as typeof setInterval),
    replace(globalThis, 'clearTimeout', clearer('clearTimeout') as typeof clearTimeout),
    replace(globalThis, 'clearInterval', clearer('clearInterval') as typeof clearInterval),
  ]
}

function randomness({ random }: Scheduler): Undo[] {
  const digits = (count: number): string => Array.from({ length: count }, () => random.upTo(15).toString(16)).join('')
  const uuid = (): ReturnType<typeof crypto.randomUUID> =>
    `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`
  const bytes = (size: number): Buffer => Buffer.from(digits(size * 2), 'hex')
  return [
    replace(Math, 'random', () => random.next()),
    replace(crypto, 'randomUUID', uuid),
    replace(crypto, 'randomBytes', bytes as unknown as typeof crypto.randomBytes),
  ]
}
