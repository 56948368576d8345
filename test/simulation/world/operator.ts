import type { Store } from '../../../src/ports/store.ts'
import { HoldpointError } from '../../../src/protocol/errors/errors.ts'
import { moveRun } from '../../../src/worker/shared/move-run.ts'
import { stuckThreads } from '../../../src/worker/shared/stuck-threads.ts'
import type { Machine } from '../engine/machine.ts'
import { nameOf } from '../engine/network.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { PlannedMove } from './plan.ts'

/** An operator at a console. */
export interface Console {
  readonly machine: Machine
  readonly scheduler: Scheduler
  readonly store: Store
  readonly tenants: readonly string[]
}

/** The version that all workers have. */
const NEWEST = '2'

/** Looks for stuck threads now and then, until the process ends, and moves runs whose version nobody has. */
export async function lookAfter(seat: Console): Promise<void> {
  const { scheduler, machine, store, tenants } = seat
  for (;;) {
    await scheduler.sleep(machine, 1000 + scheduler.random.upTo(3000))
    await attempt(seat, async () => {
      for (const tenantId of tenants) {
        const stuck = await stuckThreads(store.tenant(tenantId))
        for (const { threadId, reason } of stuck)
          if (reason === 'no_worker') await move(seat, { tenantId, threadId, to: NEWEST })
      }
    })
  }
}

/** Moves a run, unless somebody drives it or it is over. */
export function moveOne(seat: Console, planned: PlannedMove): Promise<void> {
  return attempt(seat, () => move(seat, planned))
}

async function move(
  { scheduler, machine, store }: Console,
  { tenantId, threadId, to }: Omit<PlannedMove, 'atMs'>,
): Promise<void> {
  scheduler.tell(machine.name, `moves ${nameOf(tenantId, threadId)} to version ${to}`)
  await moveRun(store.tenant(tenantId), { threadId, to, by: 'operator', reason: 'a test', force: true })
}

async function attempt({ scheduler, machine }: Console, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!HoldpointError.isInstance(error)) throw error
    scheduler.tell(machine.name, `was told: ${error.code}`)
  }
}
