import type { ConsumeOptions, Queue, WakeUp } from '../../../src/ports/queue.ts'
import type { RingFault } from './faults.ts'
import type { Machine } from './machine.ts'
import { type Network, travel } from './network.ts'

/** A wake-up in the engine. */
interface Item {
  readonly wakeUp: WakeUp
  /** Who has it now. */
  holder: Machine | undefined
}

interface Taker extends ConsumeOptions {
  readonly machine: Machine
  running: number
}

const REDELIVER_MS = 1500

/** A simulated engine of a queue, shared by all processes. It may lose, repeat, delay and reorder what it was given, and forget all. */
export class QueueEngine {
  readonly #network: Network
  readonly #faults: RingFault[]
  readonly #items = new Set<Item>()
  readonly #takers = new Set<Taker>()
  #rings = 0
  /** Ignores the rest of the faults. */
  isCalm = false

  constructor(network: Network, faults: readonly RingFault[]) {
    this.#network = network
    this.#faults = [...faults]
  }

  /** The queue as a process sees it. */
  of(machine: Machine): Queue {
    return {
      ring: (wakeUp, options) => travel(this.#network, { machine }, () => this.#accept(wakeUp, options?.delayMs ?? 0)),
      consume: async (options) => {
        const taker: Taker = { ...options, machine, running: 0 }
        this.#takers.add(taker)
        this.#handOutAll()
        return { stop: async () => void this.#takers.delete(taker) }
      },
      close: async () => undefined,
    }
  }

  /** Loses everything that it holds. */
  forget(): void {
    this.#items.clear()
  }

  /** A process is gone: what it had taken is handed out again. */
  died(machine: Machine): void {
    for (const taker of this.#takers) if (taker.machine === machine) this.#takers.delete(taker)
    for (const item of this.#items) if (item.holder === machine) this.#putBack(item)
  }

  #accept(wakeUp: WakeUp, delayMs: number): void {
    this.#rings += 1
    const fault = this.isCalm ? undefined : this.#faults.find(({ nth }) => nth === this.#rings)
    if (fault) this.#network.scheduler.tell('queue', `fault: ${fault.kind} for ${wakeUp.threadId}`)
    if (fault?.kind === 'ring lost') return
    this.#add(wakeUp, delayMs + (fault?.kind === 'ring late' ? fault.ms : 0))
    if (fault?.kind === 'ring twice') this.#add(wakeUp, delayMs + fault.ms)
  }

  #add(wakeUp: WakeUp, delayMs: number): void {
    const item: Item = { wakeUp: { ...wakeUp }, holder: undefined }
    this.#network.scheduler.park(undefined, delayMs + this.#network.latency(), () => {
      this.#items.add(item)
      this.#handOut(item)
    })
  }

  #putBack(item: Item): void {
    item.holder = undefined
    this.#network.scheduler.park(undefined, REDELIVER_MS, () => this.#handOut(item))
  }

  #handOutAll(): void {
    for (const item of this.#items) this.#handOut(item)
  }

  #handOut(item: Item): void {
    if (item.holder || !this.#items.has(item)) return
    const fitting = [...this.#takers].filter(
      ({ routes, running, concurrency, machine }) =>
        machine.isAlive && running < concurrency && routes.includes(item.wakeUp.route),
    )
    if (fitting.length === 0) return
    const { scheduler } = this.#network
    const taker = scheduler.random.pick(fitting)
    item.holder = taker.machine
    taker.running += 1
    scheduler.park(taker.machine, this.#network.latency(), () => void this.#handle(item, taker))
  }

  async #handle(item: Item, taker: Taker): Promise<void> {
    try {
      await taker.handle({ ...item.wakeUp })
      this.#items.delete(item)
    } catch (error) {
      taker.onError(error)
      this.#putBack(item)
    }
    taker.running -= 1
    this.#handOutAll()
  }
}
