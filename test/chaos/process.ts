import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from '../../scripts/lib/root.js'

/** A program that is started again whenever it was killed. */
export interface Unit {
  /** The last line that it said when it was ready. */
  readonly said: string
  start(): Promise<void>
  kill(): Promise<void>
  /** Ends it as a deployment does: it is asked to, and killed if it takes too long. */
  stop(): Promise<void>
  freeze(frozen: boolean): void
  /** Its clock jumps. */
  jump(byMs: number): void
}

const STOP_MS = 10_000

/** Makes a unit of a plain JavaScript program beside the tests, with the arguments that it has whenever it starts. It is not running yet. */
export function makeUnit(program: string, args: () => readonly string[]): Unit {
  let child: ChildProcess | undefined
  let starting: Promise<void> | undefined
  let said = ''

  async function begin(): Promise<void> {
    const own = spawn(process.execPath, [join(ROOT, 'test', program), ...args()], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    // A message to a process that is being killed.
    own.on('error', () => undefined)
    child = own
    const lines = createInterface(own.stdout!)
    const gone = once(own, 'exit')
    const line = await Promise.race([once(lines, 'line'), gone.then(() => undefined)])
    if (line) said = String(line[0])
  }

  async function end(own: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
    if (!own || own.exitCode !== null || own.signalCode !== null) return
    const gone = once(own, 'exit')
    const limit = setTimeout(() => own.kill('SIGKILL'), STOP_MS)
    own.kill(signal)
    await gone
    clearTimeout(limit)
  }

  return {
    get said() {
      return said
    },
    start() {
      if (child && child.exitCode === null && child.signalCode === null) return starting ?? Promise.resolve()
      starting = begin()
      return starting
    },
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
    freeze(frozen) {
      child?.kill(frozen ? 'SIGSTOP' : 'SIGCONT')
    },
    jump(byMs) {
      if (child?.connected) child.send({ jumpBy: byMs }, () => undefined)
    },
  }
}
