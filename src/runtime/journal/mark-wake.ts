import { wakeAt } from '../../core/wake.ts'
import type { Journal } from './journal.ts'

/** Sets the thread's wake mark to what the state says. Writes nothing if it is that already. */
export async function markWake(journal: Journal): Promise<void> {
  await journal.write((state) => {
    const [now, known] = [journal.now(), journal.wakeAt]
    const at = wakeAt(state, now)
    const isDue = at !== null && at <= now && known !== null && known !== undefined && known <= now
    return known === undefined || known === at || isDue ? undefined : { entries: [], wake: { op: 'set', at } }
  })
}

/** Whether a driver has something to do at once. */
export function isDue(journal: Journal): boolean {
  const now = journal.now()
  const at = wakeAt(journal.state, now)
  return at !== null && at <= now
}
