// @ts-check
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BASE = join(dirname(dirname(fileURLToPath(import.meta.url))), '.tmp')

/** A folder for one case's files, on the disk that this package is on; taken away when the work is over. @template T @param {(dir: string) => Promise<T>} work */
export async function inFolder(work) {
  mkdirSync(BASE, { recursive: true })
  const dir = mkdtempSync(join(BASE, 'case-'))
  try {
    return await work(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
