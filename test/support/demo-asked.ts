import { openDesk, type Store } from '../../src/index.ts'
import { until } from './until.ts'

/**
 * Waits until the demo of `holdpoint start` has asked everything, and its colleagues have decided their part. Before that, what is open changes; it
 * also passes through the number that stays open in the end.
 */
export async function demoAsked(store: Store): Promise<void> {
  const desk = openDesk({ store })
  await until(async () => {
    const { requests } = await desk.list({ limit: 50 })
    return requests.length === 16 && requests.filter(({ status }) => status === 'open').length === 12
  })
}
