import type { ConsumeOptions, Queue, WakeUp } from '../../src/ports/queue.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { inProcessHarness } from '../../src/testing/queue-suite/in-process-harness.ts'
import type { QueueHarness } from '../../src/testing/queue-suite/queue-case.ts'

/** A queue with one fault. A suite that accepts it does not test the guarantee. */
export interface BrokenQueue {
  /** What it does wrong. */
  readonly name: string
  /** The cases that must reject it. */
  readonly rejectedBy: readonly string[]
  harness(): QueueHarness
}

/** A sound queue with an engine that can be taken away, and some methods replaced. */
export function breakQueue(fault: (sound: Queue) => Partial<Queue>): () => QueueHarness {
  return () => ({
    ...inProcessHarness(),
    patienceMs: 2000,
    create: async () => {
      const sound = inProcessQueue()
      return { ...sound, ...fault(sound) }
    },
  })
}

const keyOf = ({ tenantId, threadId }: WakeUp) => `${tenantId} ${threadId}`

/** Replaces what is done with a wake-up. */
function handling(sound: Queue, change: (options: ConsumeOptions) => Partial<ConsumeOptions>): Partial<Queue> {
  return { consume: (options) => sound.consume({ ...options, ...change(options) }) }
}

/** Swallows rings of threads that are handed out. */
function swallowing(sound: Queue, active: Map<string, number>): Partial<Queue> {
  return {
    ring: async (wakeUp, options) => {
      if (!active.has(keyOf(wakeUp))) await sound.ring(wakeUp, options)
    },
    ...handling(sound, ({ handle }) => ({
      async handle(wakeUp) {
        active.set(keyOf(wakeUp), 1)
        await handle(wakeUp).finally(() => active.delete(keyOf(wakeUp)))
      },
    })),
  }
}

export const brokenQueues: readonly BrokenQueue[] = [
  {
    name: 'forgets what was rung before somebody consumed (Q1)',
    rejectedBy: [
      'what was rung before anybody consumed is handed out',
      'a wake-up waits until somebody consumes its route',
    ],
    harness: breakQueue((sound) => {
      const routes = new Set<string>()
      return {
        ring: async (wakeUp, options) => {
          if (routes.has(wakeUp.route)) await sound.ring(wakeUp, options)
        },
        consume(options) {
          for (const route of options.routes) routes.add(route)
          return sound.consume(options)
        },
      }
    }),
  },
  {
    name: 'hands out each thread once for ever (Q1)',
    rejectedBy: ['a thread can be rung again after it was handed out'],
    harness: breakQueue((sound) => {
      const rung = new Set<string>()
      return {
        async ring(wakeUp, options) {
          if (!rung.has(keyOf(wakeUp))) await sound.ring(wakeUp, options)
          rung.add(keyOf(wakeUp))
        },
      }
    }),
  },
  {
    name: 'takes the tenant and the thread for one name (Q1)',
    rejectedBy: ['odd names of tenants and threads stay as they are and apart'],
    harness: breakQueue((sound) =>
      handling(sound, ({ handle }) => ({
        handle(wakeUp) {
          const [tenantId = '', ...rest] = `${wakeUp.tenantId}:${wakeUp.threadId}`.split(':')
          return handle({ ...wakeUp, tenantId, threadId: rest.join(':') })
        },
      })),
    ),
  },
  {
    name: 'swallows rings of a thread that is handed out (Q2)',
    rejectedBy: ['a ring while its thread is handed out leads to another hand-out'],
    harness: breakQueue((sound) => swallowing(sound, new Map())),
  },
  {
    name: 'ignores delays (Q3)',
    rejectedBy: [
      'nothing is handed out before its delay',
      'a delayed ring is handed out although its thread was handed out meanwhile',
    ],
    harness: breakQueue((sound) => ({ ring: (wakeUp) => sound.ring(wakeUp) })),
  },
  {
    name: 'merges a ring into a delayed one (Q3)',
    rejectedBy: ['a ring without a delay does not wait for one that has one'],
    harness: breakQueue((sound) => {
      const delayed = new Set<string>()
      return {
        async ring(wakeUp, options) {
          if (delayed.has(keyOf(wakeUp))) return
          if (options?.delayMs) delayed.add(keyOf(wakeUp))
          await sound.ring(wakeUp, options)
        },
      }
    }),
  },
  {
    name: 'postpones what waits when a delayed ring comes (Q3)',
    rejectedBy: ['a delayed ring does not postpone one that waits or comes earlier'],
    harness: breakQueue((sound) => {
      const due = new Map<string, number>()
      return {
        async ring(wakeUp, options) {
          due.set(keyOf(wakeUp), performance.now() + (options?.delayMs ?? 0))
          await sound.ring(wakeUp, options)
        },
        ...handling(sound, ({ handle }) => ({
          async handle(wakeUp) {
            if (performance.now() >= due.get(keyOf(wakeUp))! - 5) await handle(wakeUp)
          },
        })),
      }
    }),
  },
  {
    name: 'hands a wake-up to any consumer (Q4)',
    rejectedBy: [
      'a wake-up goes only to a consumer of its route, whatever the routes are named',
      'a wake-up waits until somebody consumes its route',
    ],
    harness: breakQueue((sound) => {
      const routes = new Map<string, string>()
      return {
        async ring(wakeUp, options) {
          routes.set(keyOf(wakeUp), wakeUp.route)
          await sound.ring({ ...wakeUp, route: 'all' }, options)
        },
        consume: ({ handle, ...options }) =>
          sound.consume({
            ...options,
            routes: ['all'],
            handle: (wakeUp) => handle({ ...wakeUp, route: routes.get(keyOf(wakeUp))! }),
          }),
      }
    }),
  },
  {
    name: 'folds the case of routes (Q4)',
    rejectedBy: ['a wake-up goes only to a consumer of its route, whatever the routes are named'],
    harness: breakQueue((sound) => ({
      ring: (wakeUp, options) => sound.ring({ ...wakeUp, route: wakeUp.route.toLowerCase() }, options),
      consume: (options) => sound.consume({ ...options, routes: options.routes.map((route) => route.toLowerCase()) }),
    })),
  },
  {
    name: 'counts handlers for each route (Q4)',
    rejectedBy: ['no more handlers run at once than the consumer allows, over all its routes'],
    harness: breakQueue((sound) => ({
      async consume(options) {
        const consumers = await Promise.all(
          [...new Set(options.routes)].map((route) => sound.consume({ ...options, routes: [route] })),
        )
        return { stop: async () => void (await Promise.all(consumers.map((each) => each.stop()))) }
      },
    })),
  },
  {
    name: 'takes a handler that rejects for done (Q5)',
    rejectedBy: ['a wake-up whose handler rejects is handed out again, and the error is reported'],
    harness: breakQueue((sound) =>
      handling(sound, ({ handle, onError }) => ({ handle: (wakeUp) => handle(wakeUp).catch(onError) })),
    ),
  },
  {
    name: 'keeps errors of handlers to itself (Q5)',
    rejectedBy: ['a wake-up whose handler rejects is handed out again, and the error is reported'],
    harness: breakQueue((sound) => handling(sound, () => ({ onError: () => undefined }))),
  },
  {
    name: 'forgets what a process that died had (Q5)',
    rejectedBy: ['a wake-up whose process dies is handed out again'],
    harness: () => ({
      ...breakQueue(() => ({}))(),
      async takeAndDie(queue, route) {
        await new Promise<void>((resolve) => {
          void queue.consume({
            routes: [route],
            concurrency: 1,
            handle: async () => resolve(),
            onError: () => undefined,
          })
        })
      },
    }),
  },
  {
    name: 'stops without its handlers (Q6)',
    rejectedBy: ['stopping waits for handlers, and hands out nothing more'],
    harness: breakQueue((sound) => ({
      async consume(options) {
        const consumer = await sound.consume(options)
        return { stop: async () => void consumer.stop() }
      },
    })),
  },
  {
    name: 'goes on after it was stopped (Q6)',
    rejectedBy: [
      'stopping waits for handlers, and hands out nothing more',
      'one consumer may stop while another goes on',
    ],
    harness: breakQueue((sound) => ({
      async consume(options) {
        const running = new Set<Promise<void>>()
        await sound.consume({
          ...options,
          async handle(wakeUp) {
            const work = options.handle(wakeUp)
            running.add(work)
            await work.finally(() => running.delete(work))
          },
        })
        return { stop: async () => void (await Promise.all(running)) }
      },
    })),
  },
  {
    name: 'loses what waits when its consumer stops (Q6)',
    rejectedBy: ['a handler that rejects while its consumer stops loses nothing'],
    harness: breakQueue((sound) => ({
      async consume(options) {
        let stopped = false
        const consumer = await sound.consume({
          ...options,
          handle: (wakeUp) =>
            options.handle(wakeUp).catch((error) => {
              if (!stopped) throw error
            }),
        })
        return {
          stop() {
            stopped = true
            return consumer.stop()
          },
        }
      },
    })),
  },
  {
    name: 'takes rings after it was closed (Q6)',
    rejectedBy: ['a closed queue hands out nothing and refuses every call'],
    harness: breakQueue((sound) => ({ ring: (wakeUp, options) => sound.ring(wakeUp, options).catch(() => undefined) })),
  },
  {
    name: 'takes rings while its engine is away, and reports nothing (Q7)',
    rejectedBy: ['an outage is reported, rejects rings in time, and ends by itself'],
    harness: () => ({ ...breakQueue(() => ({}))(), interrupt: async () => async () => undefined }),
  },
]
