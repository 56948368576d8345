/** What runs now, or last, in each line. Empty lines are forgotten. */
const lines = new Map<string, Promise<unknown>>()

/**
 * Runs work of one run one after the other, in the order in which it is asked for. Calls of a turn start together; what works on one machine's
 * files must not overlap, also where the shell and the editor are different tools. Keyed by the run's id, which no other run has.
 */
export async function inTurn<T>(line: string, work: () => Promise<T>): Promise<T> {
  const before = lines.get(line)
  const mine = (before ?? Promise.resolve()).then(work, work)
  lines.set(line, mine)
  try {
    return await mine
  } finally {
    if (lines.get(line) === mine) lines.delete(line)
  }
}
