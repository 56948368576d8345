import { accessSync, constants, existsSync, realpathSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Finding, failure } from './finding.ts'

/** What SQLite needs beside the file itself: its log grows to 4 MB before it is merged into the file. */
const LEAST_FREE_MB = 8

/**
 * Why a store in a file could not be written, if it could not. Opening it does not tell: on a file system that is read-only or full it may open all the
 * same, or fail with words that say nothing of the cause.
 */
export function checkWritable(path: string, shown: string): Finding | undefined {
  if (!existsSync(path)) return undefined
  const file = realpathSync(path)
  const folder = dirname(file)
  if (![file, folder].every(mayWrite))
    return failure(
      'store',
      `This user may not write ${shown} and its folder.`,
      'Let the user of the processes write both: SQLite keeps two files beside it. A file system that is mounted read-only must be mounted for writing.',
    )
  const { bavail, bsize } = statfsSync(folder)
  const freeMb = Math.floor((bavail * bsize) / 1e6)
  if (freeMb >= LEAST_FREE_MB) return undefined
  return failure(
    'store',
    `The file system of ${shown} is full: ${freeMb} MB are free.`,
    `Make room on it, ${LEAST_FREE_MB} MB at least.`,
  )
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
