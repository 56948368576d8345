import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import process from 'node:process'

/**
 * Names an activation as `host|pid|start|nonce`. The host part tells machines, reboots and process namespaces apart as far as the system
 * lets it, so that a process id is only ever compared with ids of the same table. Ids are used again, and in a container that starts anew they
 * are the same every time: `start`, when the process began, tells one bearer of an id from the next.
 */
export function newHolder(): string {
  return `${self()}|${randomUUID().slice(0, 13)}`
}

/** Whether the process that a holder names is known to be gone. `false` when that cannot be told from here. */
export function isGone(holder: string): boolean {
  const [host, pid, start] = holder.split('|')
  if (host !== hostIdentity() || !pid) return false
  const found = lookUp(Number(pid))
  // Dead and not buried yet, because whoever started it has not asked how it ended.
  if (found) return found.dead || found.start !== start
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** What the system tells about a process: fields 3 and 22 of its `stat`, counted behind the name, which may hold anything. */
function lookUp(pid: number): { dead: boolean; start: string } | undefined {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', start = ''] = [fields[0], fields[19]]
  return start === '' ? undefined : { dead: 'ZXx'.includes(state), start }
}

/** Neither changes while a process lives, and every run asks. */
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

/** Absent on systems without /proc: then the host's name has to do. */
function tryRead(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
