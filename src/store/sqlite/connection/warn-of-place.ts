import { statfsSync } from 'node:fs'
import type { OnWarning } from '../../shared/warning.ts'
import type { Database } from './driver.ts'

/** The file of a store and its promised durability. */
export interface OpenOptions {
  path: string
  durability: 'power' | 'process'
  onWarning: OnWarning
}

/** Linux file systems by their magic number. */
const NETWORK = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997])
const IN_MEMORY = new Set([0x01021994, 0x858458f6])

/** Warns if the file's place cannot keep the promised durability. */
export function warnOfPlace(db: Database, { path, durability, onWarning }: OpenOptions): void {
  const type = fileSystemOf(path)
  if (NETWORK.has(type)) {
    const message = `${path} is on a network file system: only processes of one machine may use it, and locks may not work.`
    onWarning({ code: 'network_file_system', message })
  }
  if (IN_MEMORY.has(type) && durability === 'power') {
    onWarning({
      code: 'memory_file_system',
      message: `${path} is on an in-memory file system, which does not survive a power cut.`,
    })
  }
  const mode = db.prepare('PRAGMA journal_mode').get([])?.journal_mode
  if (mode !== 'wal') {
    const message = `${path} cannot have a write-ahead log here (its journal mode is ${String(mode)}): readers and writers wait for one another.`
    onWarning({ code: 'no_write_ahead_log', message })
  }
}

/** 0 if it cannot be determined. */
function fileSystemOf(path: string): number {
  try {
    return statfsSync(path).type >>> 0
  } catch {
    return 0
  }
}
