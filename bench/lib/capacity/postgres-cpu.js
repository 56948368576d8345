// @ts-check
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the time of ended processes in hundredths of a second. That of running ones it tells in nanoseconds. */
const TICK_MS = 10

/** Processor time of a Postgres server on this machine, with that of its processes that ended. @param {number} backend the pid of any of its processes @returns {() => number} milliseconds */
export function postgresCpu(backend) {
  const server = statOf(backend)?.parent
  if (server === undefined) throw new Error('the processor time of Postgres is read from /proc: this case needs Linux')
  return () => {
    let ms = 0
    for (const name of readdirSync('/proc')) {
      const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined
      if (stat?.pid === server) ms += stat.ownMs + stat.endedMs
      else if (stat?.parent === server) ms += stat.ownMs
    }
    return ms
  }
}

/** @param {number} pid */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program is in parentheses, and may have spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [user = 0, system = 0] = fields.slice(13, 15)
    const [running = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number)
    return { pid, parent, ownMs: running / 1e6, endedMs: (user + system) * TICK_MS }
  } catch {
    // It ended meanwhile.
    return undefined
  }
}
