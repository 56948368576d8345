import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import process from 'node:process'

/**
 * Names an activation as `host|pid|start|nonce`. `host` distinguishes machines, reboots and process namespaces where the system allows, so that
 * process ids are compared only within one process table. Process ids are reused, and a restarted container uses the same ones: `start`, the
 * start time of the process, distinguishes two processes with the same id.
 */
export function newHolder(): string {
  return `${self()}|${randomUUID().slice(0, 13)}`
}

/** Whether the holder's process is known to be gone. `false` if this machine cannot tell. */
export function isGone(holder: string): boolean {
  const [host, pid, start] = holder.split('|')
  if (host !== hostIdentity() || !pid) return false
  const found = lookUp(Number(pid))
  // `dead`: a zombie, whose parent has not collected its exit status yet.
  if (found) return found.dead || found.start !== start
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Reads the state and start time of a process: fields 3 and 22 of its `stat`. The name before them may contain any character. */
function lookUp(pid: number): { dead: boolean; start: string } | undefined {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', start = ''] = [fields[0], fields[19]]
  return start === '' ? undefined : { dead: 'ZXx'.includes(state), start }
}

/** Cached, since every run needs both and neither changes while a process lives. */
const hostIdentity = once(() => {
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8))
  const namespace = tryRead(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''))
  return `${hostname()}/${boot}/${namespace}`
})
const self = once(() => `${hostIdentity()}|${process.pid}|${lookUp(process.pid)?.start ?? ''}`)

function once(read: () => string): () => string {
  let value: string | undefined
  return () => {
    value ??= read()
    return value
  }
}

/** Returns '' on systems without /proc. The host name must suffice there. */
function tryRead(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
