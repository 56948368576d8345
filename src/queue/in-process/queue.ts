import { after, type Clock } from '../../ports/clock.ts'
import type { Queue } from '../../ports/queue.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { QueueFailed } from '../../protocol/errors/errors.ts'
import { backOffMs } from '../shared/back-off.ts'
import { checkRing } from '../shared/check.ts'
import { Taker } from './taker.ts'
import { type Waiting, WaitingRoutes } from './waiting.ts'

/** Options of {@link inProcessQueue}. */
export interface InProcessQueueOptions {
  /** Delays are counted by this clock. Default: the machine's. */
  clock?: Clock
}

/**
 * A queue for workers of this process only, in memory. Wake-ups that wait are lost when the process ends; a worker finds their threads again by the
 * store's wake marks.
 */
export function inProcessQueue(options: InProcessQueueOptions = {}): Queue {
  requireKnown('inProcessQueue()', options, ['clock'])
  const { clock } = options
  const waiting = new WaitingRoutes()
  const takers = new Set<Taker>()
  const timers = new Set<() => void>()
  let closed = false

  function add(each: Waiting): void {
    waiting.add(each)
    for (const taker of takers) taker.fill()
  }

  function addLater(each: Waiting, ms: number): void {
    const fire = (): void => {
      timers.delete(cancel)
      add(each)
    }
    const cancel = after(ms, fire, clock)
    timers.add(cancel)
  }

  function takeBack({ wakeUp, failures }: Waiting): void {
    if (!closed) addLater({ wakeUp, failures: failures + 1 }, backOffMs(failures + 1))
  }

  function requireOpen(): void {
    if (closed) throw new QueueFailed('This queue is closed; create a new one.')
  }

  return {
    async ring(given, options) {
      requireOpen()
      const { wakeUp, delayMs } = checkRing(given, options)
      if (delayMs > 0) addLater({ wakeUp, failures: 0 }, delayMs)
      else add({ wakeUp, failures: 0 })
    },
    async consume(options) {
      requireOpen()
      const source = { take: waiting.take.bind(waiting), takeBack, forget: (it: Taker) => takers.delete(it) }
      const taker = new Taker(source, options)
      takers.add(taker)
      taker.fill()
      return { stop: () => taker.stop() }
    },
    async close() {
      closed = true
      for (const cancel of timers) cancel()
      timers.clear()
      waiting.clear()
      await Promise.all([...takers].map((taker) => taker.stop()))
    },
  }
}
