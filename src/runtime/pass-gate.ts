import { planGate } from '../core/plan/gate.ts'
import type { Driver } from './driver.ts'

/** Does what a person said of the answer that waits behind a gate. */
export async function passGate({ activation }: Driver): Promise<void> {
  await activation.write((state) => {
    const { run } = state
    const frame = run?.frames.get(run.id)
    const entries = run?.status === 'open' && frame ? planGate(run, frame) : []
    if (entries.length === 0) return undefined
    return { entries, drop: entries.some((entry) => entry.type === 'run.settled') }
  })
}
