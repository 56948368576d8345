import { type WarningName, warn } from '../../ports/warnings.ts'

/** Something about a store's environment that makes the store less durable than it promises. */
export interface StoreWarning {
  readonly code: WarningName
  readonly message: string
}

/** Gets warnings while a store is opened. If it throws, opening fails with that error, so that it can refuse. */
export type OnWarning = (warning: StoreWarning) => void

/** Emits warnings of the process, which Node prints. */
export const emitWarning: OnWarning = ({ code, message }) => warn(code, message)
