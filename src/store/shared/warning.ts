import { type WarningName, warn } from '../../ports/warnings.ts'

/** Something about a store's environment that makes the store less durable than it promises. */
export interface StoreWarning {
  readonly code: WarningName
  readonly message: string
}

/** Called with warnings while a store is opened. If it throws, opening fails with that error. */
export type OnWarning = (warning: StoreWarning) => void

/** Emits process warnings, which Node prints. */
export const emitWarning: OnWarning = ({ code, message }) => warn(code, message)
