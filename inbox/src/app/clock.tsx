import { createContext, type ReactNode, use, useEffect, useMemo, useState, useSyncExternalStore } from 'react'

/** Ticks for everything on the page that counts down. One timer for each step, only while somebody watches. */
class Ticker {
  readonly #step: number
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setInterval> | undefined
  now = Date.now()

  constructor(step: number) {
    this.#step = step
  }

  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.now = Date.now()
    this.#timer ??= setInterval(() => this.#tick(), this.#step)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #tick(): void {
    this.now = Date.now()
    for (const listener of [...this.#listeners]) listener()
  }
}

interface Clock {
  /** How far the server's clock is ahead of this device's. */
  ahead: number
  seconds: Ticker
  slow: Ticker
}

const Context = createContext<Clock | undefined>(undefined)

/** Keeps the time of the server, by which deadlines pass. `serverNow` was its time when it was last heard. */
export function ClockProvider({ serverNow, children }: { serverNow: string | undefined; children: ReactNode }) {
  const [tickers] = useState(() => ({ seconds: new Ticker(1000), slow: new Ticker(15_000) }))
  const [ahead, setAhead] = useState(0)
  useEffect(() => {
    if (serverNow !== undefined) setAhead(Date.parse(serverNow) - Date.now())
  }, [serverNow])
  return <Context value={useMemo(() => ({ ...tickers, ahead }), [tickers, ahead])}>{children}</Context>
}

/** The server's time, again at every step. */
export function useNow(step: 'seconds' | 'slow' = 'seconds'): number {
  const clock = use(Context)
  if (!clock) throw new Error('useNow needs a ClockProvider.')
  const ticker = clock[step]
  return useSyncExternalStore(ticker.watch, () => ticker.now) + clock.ahead
}

/** Reads the server's time when it is called. */
export function useClock(): () => number {
  const clock = use(Context)
  const ahead = clock?.ahead ?? 0
  return useMemo(() => () => Date.now() + ahead, [ahead])
}
