import { HoldpointError, StoreBusy, StoreCorrupt, StoreFailed } from '../../../protocol/errors/errors.ts'
import { SqliteFailure } from './driver.ts'

/** Whether others hold the lock, so that a retry may help. */
export function isBusy(error: unknown): boolean {
  return error instanceof SqliteFailure && error.kind === 'busy'
}

/** The typed error for an error of SQLite. Other errors are returned unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  if (HoldpointError.isInstance(error)) return error
  if (!(error instanceof SqliteFailure)) return isSystemError(error) ? new StoreFailed(path, error) : error
  switch (error.kind) {
    case 'busy':
      return new StoreBusy(path, error.cause)
    case 'corrupt':
      return new StoreCorrupt(path, error.message, error.cause)
    case 'other':
      return new StoreFailed(path, error.cause)
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
