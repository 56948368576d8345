/** How often is looked: at first every 3 ms, then less often, since each look takes processor time from what is waited for. */
const LOOK = { soonestMs: 3, latestMs: 50, share: 0.1 }

/** Waits until a condition holds. The limit is there for hangs. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const begun = performance.now()
  while (!(await holds())) {
    const waited = performance.now() - begun
    if (waited > limitMs) throw new Error(`Still not so after ${limitMs} ms: ${holds}`)
    await pause(Math.min(LOOK.latestMs, Math.max(LOOK.soonestMs, waited * LOOK.share)))
  }
}

/** Sleeps. For tests of time itself; a test that waits for something uses {@link until}. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

/** Waits for the next millisecond. Within one, requests of different runs are in no order: each run makes ids of its own. */
export async function untilLater(): Promise<void> {
  const now = Date.now()
  await until(() => Date.now() > now)
}
