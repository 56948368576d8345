/** Something about where a store is that makes it less than it promises. */
export interface StoreWarning {
  /** A stable name, such as `fsync_off`. */
  readonly code: string
  readonly message: string
}

/** Is told of warnings when a store is opened. What it throws is the failure of the call that opened it, so that it can refuse. */
export type OnWarning = (warning: StoreWarning) => void

/** Tells Node's own warnings, which are printed unless somebody listens. */
export const emitWarning: OnWarning = ({ code, message }) =>
  process.emitWarning(message, { type: 'HoldpointWarning', code: `holdpoint_${code}` })
