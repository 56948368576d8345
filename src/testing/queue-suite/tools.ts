import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsumeOptions, Consumer, Queue, WakeUp } from '../../ports/queue.ts'
import { HoldpointError } from '../../protocol/errors/errors.ts'
import type { QueueHarness } from './queue-case.ts'

/** How long something that must happen may take, and how long something that must not is waited for. */
const PATIENCE_MS = 20_000
export const QUIET_MS = 150

/** A wake-up of a thread. */
export function wake(threadId: string, route = 'r'): WakeUp {
  return { tenantId: 'acme', threadId, route }
}

/** Runs a check on a fresh queue. */
export async function onQueue(harness: QueueHarness, check: (queue: Queue) => Promise<void>): Promise<void> {
  const queue = await harness.create()
  try {
    await check(queue)
  } finally {
    await queue.close()
  }
}

/** Runs a check on two handles of the same queue. */
export async function onTwoHandles(
  harness: QueueHarness,
  check: (first: Queue, second: Queue) => Promise<void>,
): Promise<void> {
  await onQueue(harness, async (first) => {
    const second = await needed(harness, 'reopen')(first)
    try {
      await check(first, second)
    } finally {
      await second.close()
    }
  })
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

/** Waits for something that must happen. `meanwhile` is done again and again. */
export async function until(
  happened: () => boolean,
  what: string,
  meanwhile: () => Promise<unknown> = () => sleep(5),
): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!happened()) {
    assert.ok(performance.now() < end, `${what} did not happen`)
    await meanwhile()
  }
}

/** Waits for a promise that must settle. */
export async function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  const ended = new AbortController()
  const late = sleep(PATIENCE_MS, undefined, { signal: ended.signal }).then(
    () => assert.fail(`${what} did not happen`),
    () => undefined as never,
  )
  try {
    return await Promise.race([work, late])
  } finally {
    ended.abort()
  }
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
