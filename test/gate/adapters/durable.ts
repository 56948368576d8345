import type { Clock } from '../../../src/ports/clock.ts'
import type { Store } from '../../../src/ports/store.ts'
import { racePlaces } from '../../races/places.ts'

/** SQLite and Postgres, as the adapter suite opens stores. Call it at the top of a test file: it starts a server for that file. */
export function durablePlaces(): [name: string, openStore: (clock?: Clock) => Store][] {
  const [, ...durable] = racePlaces()
  return durable.map(([name, place]) => [name.replace('in one ', ''), (clock) => place(clock)()])
}
