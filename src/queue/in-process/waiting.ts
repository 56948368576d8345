import type { WakeUp } from '../../ports/queue.ts'

/** A wake-up that may be handed out. `failures`: how often its handler rejected. */
export interface Waiting {
  wakeUp: WakeUp
  failures: number
}

/** Wake-ups that wait, by route and then by thread, in the order of arrival. Rings of a thread that wait on a route are one. */
export class WaitingRoutes {
  readonly #routes = new Map<string, Map<string, Waiting>>()

  add(waiting: Waiting): void {
    const { tenantId, threadId, route } = waiting.wakeUp
    const ofRoute = this.#routes.get(route) ?? new Map<string, Waiting>()
    this.#routes.set(route, ofRoute)
    const key = JSON.stringify([tenantId, threadId])
    if (!ofRoute.has(key)) ofRoute.set(key, waiting)
  }

  /** Removes the wake-up that has waited longest on a route. */
  take(route: string): Waiting | undefined {
    const ofRoute = this.#routes.get(route)
    const [first] = ofRoute ?? []
    if (!ofRoute || !first) return undefined
    ofRoute.delete(first[0])
    if (ofRoute.size === 0) this.#routes.delete(route)
    return first[1]
  }

  clear(): void {
    this.#routes.clear()
  }
}
