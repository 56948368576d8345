/** Waits until a condition holds. The limit is there for hangs. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Still not so after ${limitMs} ms: ${holds}`)
    await pause(3)
  }
}

/** Sleeps. For tests of time itself; a test that waits for something uses {@link until}. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
