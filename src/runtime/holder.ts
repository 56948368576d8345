import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import process from 'node:process'

/**
 * Names an activation as `host|pid|nonce`. The host part tells machines, reboots and process namespaces apart as far as the system lets it,
 * so that a process id is only ever compared with ids of the same table.
 */
export function newHolder(): string {
  return `${hostIdentity()}|${process.pid}|${randomBytes(6).toString('hex')}`
}

/** Whether the process that a holder names is known to be gone. `false` when that cannot be told from here. */
export function isGone(holder: string): boolean {
  const [host, pid] = holder.split('|')
  if (host !== hostIdentity() || !pid || Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function hostIdentity(): string {
  return `${hostname()}/${tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8))}/${tryRead(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''))}`
}

/** Absent on systems without /proc: then the host's name has to do. */
function tryRead(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
