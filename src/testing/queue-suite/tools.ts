import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsumeOptions, Consumer, Queue, WakeUp } from '../../ports/queue.ts'
import { HoldpointError } from '../../protocol/errors/errors.ts'
import type { QueueHarness } from './queue-case.ts'

/** How long something that must not happen is waited for. */
export const QUIET_MS = 150

/** Waits for what must happen, as long as the harness has patience. */
export interface Waits {
  /** `meanwhile` is done again and again. */
  until(happened: () => boolean, what: string, meanwhile?: () => Promise<unknown>): Promise<void>
  inTime<T>(work: Promise<T>, what: string): Promise<T>
}

/** A wake-up of a thread. */
export function wake(threadId: string, route = 'r'): WakeUp {
  return { tenantId: 'acme', threadId, route }
}

/** Runs a check on a fresh queue. */
export async function onQueue(
  harness: QueueHarness,
  check: (queue: Queue, waits: Waits) => Promise<void>,
): Promise<void> {
  const waits = waitsOf(harness)
  const queue = await harness.create()
  try {
    await check(queue, waits)
  } finally {
    await waits.inTime(queue.close(), 'the close of the queue')
  }
}

/** Runs a check on two handles of the same queue. */
export async function onTwoHandles(
  harness: QueueHarness,
  check: (first: Queue, second: Queue, waits: Waits) => Promise<void>,
): Promise<void> {
  await onQueue(harness, async (first, waits) => {
    const second = await needed(harness, 'reopen')(first)
    try {
      await check(first, second, waits)
    } finally {
      await waits.inTime(second.close(), 'the close of the second handle')
    }
  })
}

function waitsOf({ patienceMs = 20_000 }: QueueHarness): Waits {
  return {
    async until(happened, what, meanwhile = () => sleep(5)) {
      const end = performance.now() + patienceMs
      while (!happened()) {
        assert.ok(performance.now() < end, `${what} did not happen`)
        await meanwhile()
      }
    },
    async inTime(work, what) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new assert.AssertionError({ message: `${what} did not happen` })), patienceMs)
      })
      return Promise.race([work, late]).finally(() => clearTimeout(timer))
    },
  }
}

/** An optional ability of the harness. */
export function needed<K extends 'reopen' | 'takeAndDie' | 'interrupt'>(
  harness: QueueHarness,
  name: K,
): NonNullable<QueueHarness[K]> {
  const ability = harness[name]
  if (!ability) throw new Error(`this harness has no ${name}(): skip the case with a reason if there is none`)
  return ability.bind(harness) as NonNullable<QueueHarness[K]>
}

/** A consumer that remembers what it was handed. */
export interface Recorder extends Consumer {
  readonly seen: WakeUp[]
  readonly errors: unknown[]
  /** The threads it was handed, in order. */
  threads(): string[]
}

/** Consumes a route, or several, and remembers. */
export async function record(
  queue: Queue,
  routes: string | readonly string[] = 'r',
  options: Partial<ConsumeOptions> = {},
): Promise<Recorder> {
  const seen: WakeUp[] = []
  const errors: unknown[] = []
  const consumer = await queue.consume({
    routes: typeof routes === 'string' ? [routes] : routes,
    concurrency: options.concurrency ?? 4,
    async handle(wakeUp) {
      seen.push(wakeUp)
      await options.handle?.(wakeUp)
    },
    onError: (error) => errors.push(error),
  })
  return { seen, errors, threads: () => seen.map(({ threadId }) => threadId), stop: () => consumer.stop() }
}

/** A gate that a handler can wait at. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Fails if work does not reject with this code. */
export async function assertCode(work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => assert.fail(`it did not fail with ${code}`),
    (thrown: unknown) => thrown,
  )
  if (!HoldpointError.isInstance(error)) throw error
  assert.equal(error.code, code)
}
