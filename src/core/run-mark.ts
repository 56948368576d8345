import type { FrameKey } from '../protocol/ids.ts'

/**
 * Where a run is in the journal, for readers of a page that do not read the entries before it. Places are numbers of entries. Of each list only the newest
 * are kept: see {@link ./fold/fold-marks.ts}.
 */
export interface RunMark {
  readonly id: string
  readonly opened: number
  /** The agent that it began with. */
  readonly agent: string
  /** Where somebody spoke to the root after that. */
  readonly said: readonly number[]
  /** Where another agent took over in a frame. */
  readonly changes: readonly { readonly at: number; readonly frame: FrameKey; readonly agent: string }[]
}
