import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** What a child came to. */
export interface ChildResult {
  /** One value for each line that it wrote. */
  lines: Record<string, unknown>[]
  code: number | null
  signal: NodeJS.Signals | null
  errors: string
}

/** A running child. */
export interface Child {
  process: ChildProcess
  /** Settles with the first line. */
  firstLine: Promise<unknown>
  done: Promise<ChildResult>
}

/** Starts one of the programs in children/. They run the built package: `npm test` builds it first. */
export function startChild(program: string, input: object, shell?: string): Child {
  const file = fileURLToPath(new URL(`children/${program}.js`, import.meta.url))
  // Node 22 calls its SQLite experimental, on standard error.
  const argv = ['--disable-warning=ExperimentalWarning', file, JSON.stringify(input)]
  const child = shell
    ? spawn('bash', ['-c', `${shell}; exec "$@"`, 'bash', process.execPath, ...argv], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    : spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: Record<string, unknown>[] = []
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const reader = createInterface({ input: child.stdout! })
  reader.on('line', (line) => lines.push(JSON.parse(line) as Record<string, unknown>))
  const closed = Promise.all([once(child, 'close'), once(reader, 'close')])
  return {
    process: child,
    firstLine: once(reader, 'line'),
    done: closed.then(([[code, signal]]) => ({ lines, code, signal, errors })),
  }
}

/** Runs a child to its end. */
export function runChild(program: string, input: object, shell?: string): Promise<ChildResult> {
  const child = startChild(program, input, shell)
  child.firstLine.catch(() => undefined)
  return child.done
}
