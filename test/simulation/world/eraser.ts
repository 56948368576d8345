import { erase } from '../../../src/erasure/erase.ts'
import { HoldpointError } from '../../../src/protocol/errors/errors.ts'
import { nameOf } from '../engine/network.ts'
import type { Console } from './operator.ts'
import type { PlannedErasure } from './plan.ts'

/** Erases a thread while others work. What is refused or fails is tried again, as an operator would, until it is done or the process ends. */
export async function eraseOne(seat: Console, { tenantId, threadId, abort }: PlannedErasure): Promise<void> {
  const { scheduler, machine, store } = seat
  const thread = nameOf(tenantId, threadId)
  for (;;) {
    scheduler.tell(machine.name, `erases ${thread}${abort ? ', and aborts its run' : ''}`)
    try {
      await erase(store.tenant(tenantId), { threadId, abort, by: 'eraser', reason: 'a test' })
      return
    } catch (error) {
      if (!HoldpointError.isInstance(error)) throw error
      scheduler.tell(machine.name, `was told: ${error.code}`)
    }
    await scheduler.sleep(machine, 100 + scheduler.random.upTo(900))
  }
}
