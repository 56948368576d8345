import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A program that tests need and npm does not bring. */
export interface SystemPackage {
  /** What these tests need, as a sentence would name it. */
  what: string
  /** What the system calls it. */
  name: string
  /** Where it is, if it is there. */
  find(): string | undefined
}

/**
 * Finds a program. One that is missing is installed where that is possible; else what to install is said. Test files run beside one another, and
 * the system's installer does not: they take turns.
 */
export function findSystemPackage({ what, name, find }: SystemPackage): string {
  const found = find()
  if (found !== undefined) return found
  const problem = `These tests need ${what}: install it, for example with apt-get install ${name}.`
  if (process.getuid?.() !== 0) throw new Error(problem)
  const install = `apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y ${name}`
  try {
    execFileSync('flock', [join(tmpdir(), 'holdpoint-install.lock'), 'sh', '-c', install], { stdio: 'pipe' })
  } catch (error) {
    throw new Error(problem, { cause: error })
  }
  const installed = find()
  if (installed === undefined) throw new Error(problem)
  return installed
}
