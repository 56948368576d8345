import { AsyncLocalStorage } from 'node:async_hooks'

const current = new AsyncLocalStorage<Machine>()

/** The simulated process whose code runs now. */
export function here(): Machine | undefined {
  return current.getStore()
}

/**
 * One simulated process. Code that is entered through it, with all that it awaits, belongs to it: it reads its clock, its timers die with it, and
 * nothing of it goes on while it is frozen.
 */
export class Machine {
  readonly name: string
  /** The world that it lives in, for agents and tools, which all worlds share. */
  readonly world: object
  isAlive = true
  frozenUntil = 0
  /** How far its wall clock is wrong. */
  skewMs = 0

  constructor(name: string, world: object) {
    this.name = name
    this.world = world
  }

  /** Runs code as this process. */
  enter<T>(act: () => T): T {
    return current.run(this, act)
  }
}
