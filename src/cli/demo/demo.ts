import type { Actor, Channel, HitlRequest, Store } from '../../index.ts'
import type { Context, Stop } from '../command-line/context.ts'
import type { DemoDeps } from './agent.ts'

/** What one showing of the demo works with. */
export interface Demo {
  readonly context: Context
  readonly store: Store
  /** Who decides at this keyboard. */
  readonly by: Actor
  readonly deps: DemoDeps
  readonly stop: Stop
  readonly words: DemoWords
}

/** How things are named on the command line that this demo was started from. */
export interface DemoWords {
  /** What to type to come back. */
  readonly comeBack: string
  /** A holdpoint command for another shell. */
  command(text: string): string
  readonly folder: string
  readonly storePath: string
  readonly refundsPath: string
}

/** What came of asking: a decision was stored (here or elsewhere) and the run can go on, or the person left the question open. */
export type Asked = { kind: 'go-on' } | { kind: 'left'; code: number }

/** Asks a person about the question that a channel shows. */
export type Ask = (demo: Demo, channel: Channel, request: HitlRequest) => Promise<Asked>
