/** The warnings of the process while work is done. They are expected, so they are not printed. */
export async function warningsDuring(work: () => unknown): Promise<(Error & { code?: string })[]> {
  const warnings: Error[] = []
  const printers = process.listeners('warning')
  process.removeAllListeners('warning').on('warning', (warning) => warnings.push(warning))
  try {
    await work()
    // Node emits warnings in a later turn.
    await new Promise((resolve) => setTimeout(resolve, 5))
  } finally {
    process.removeAllListeners('warning')
    for (const print of printers) process.on('warning', print)
  }
  return warnings
}
