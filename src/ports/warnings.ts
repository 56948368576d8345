import process from 'node:process'

/** Every warning that holdpoint emits. `docs/reference/warnings.md` explains each. */
export const warningNames = [
  'clock_ahead',
  'listener_failed',
  'display_failed',
  'short_secret',
  'network_file_system',
  'memory_file_system',
  'no_write_ahead_log',
  'fsync_off',
  'full_page_writes_off',
  'zero_damaged_pages_on',
  'ignore_checksum_failure_on',
  'unlogged',
  'worker_failed',
  'trace_failed',
  'gate_undelivered',
  'gate_sweep_failed',
  'gate_wake_failed',
  'chat_failed',
] as const

/** A stable name for a kind of warning. */
export type WarningName = (typeof warningNames)[number]

/** Emits a process warning of the type `HoldpointWarning` with the code `holdpoint_<name>`. */
export function warn(name: WarningName, message: string, detail?: string): void {
  process.emitWarning(message, {
    type: 'HoldpointWarning',
    code: `holdpoint_${name}`,
    ...(detail === undefined ? {} : { detail }),
  })
}
