import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { runInThread } from './command-threads.ts'

/** The command as it is published. */
export const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** A folder of its own, gone when the test is over. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-cli-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** What a finished program left. */
export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

type Env = Record<string, string | undefined>

function childEnv(env: Env): NodeJS.ProcessEnv {
  const {
    HOLDPOINT_STORE: _store,
    HOLDPOINT_URL: _url,
    HOLDPOINT_TOKEN: _token,
    HOLDPOINT_DEBUG: _debug,
    npm_lifecycle_event: _npm,
    NO_COLOR: _color,
    ...rest
  } = process.env
  return { ...rest, HOLDPOINT_USER: 'tester', TERM: 'xterm-256color', ...env }
}

const loaded = new Set<string>()

/**
 * Runs the command to its end in a thread that has its modules: most of the time of a process goes into loading them. A call that loads a module
 * of the user's again is a process of its own, as that module may have changed since. `processes.test.ts` runs
 * every command as a process, as a thread does not show whether it exits by itself.
 */
export function holdpoint(cwd: string, args: readonly string[], env: Env = {}): Finished {
  const files = args.filter((word) => /\.[cm]?[jt]s$/.test(word)).map((word) => resolve(cwd, word))
  if (files.some((file) => loaded.has(file))) return holdpointProcess(cwd, args, env)
  for (const file of files) loaded.add(file)
  return runInThread(MAIN, { cwd, args, env: childEnv(env) })
}

/** Against hangs alone. A process that is killed for it has no exit code. */
const LONGEST_MS = 60_000

/** Runs the command to its end in a process of its own. */
export function holdpointProcess(cwd: string, args: readonly string[], env: Env = {}): Finished {
  const done = spawnSync(process.execPath, [MAIN, ...args], {
    cwd,
    env: childEnv(env),
    encoding: 'utf8',
    input: '',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  })
  return { code: done.status, stdout: done.stdout, stderr: done.stderr }
}

/** A program that runs while the test goes on. */
export class Running {
  readonly child: ChildProcess
  /** Everything that it has printed so far. */
  output = ''
  readonly #closed: Promise<number>
  readonly #watchers = new Set<() => void>()

  constructor(child: ChildProcess) {
    this.child = child
    const take = (chunk: Buffer) => {
      this.output += chunk.toString('utf8')
      for (const look of this.#watchers) look()
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    this.#closed = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
    })
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await this.#closed
    })
  }

  /** Waits until it has printed this, after what was printed before `from`. */
  async shows(text: string | RegExp, from = 0): Promise<string> {
    const found = () => {
      const rest = this.output.slice(from)
      return typeof text === 'string' ? rest.includes(text) : text.test(rest)
    }
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve, reject) => {
      const look = () => found() && resolve()
      this.#watchers.add(look)
      timer = setTimeout(() => reject(new Error(`did not show ${text} in 90 s; it showed:\n${this.output}`)), 90_000)
      void this.#closed.then(() => reject(new Error(`ended without showing ${text}; it showed:\n${this.output}`)))
      look()
    }).finally(() => clearTimeout(timer))
    return this.output.slice(from)
  }

  /** Types a line (or keys) and gives the place in the output from which on its answer is to be looked for. */
  type(text: string): number {
    const from = this.output.length
    this.child.stdin?.write(text)
    return from
  }

  /** Its exit code. */
  get ended(): Promise<number> {
    return this.#closed
  }
}

/** Starts the command without a terminal. */
export function start(cwd: string, args: readonly string[], env: Env = {}): Running {
  return new Running(
    spawn(process.execPath, [MAIN, ...args], { cwd, env: childEnv(env), stdio: ['ignore', 'pipe', 'pipe'] }),
  )
}

const PSEUDO_TERMINAL = 'script'

/** Starts the command in a terminal of its own, by `script`, which every Debian has. */
export function startInTerminal(cwd: string, args: readonly string[], env: Env = {}, columns = 100): Running {
  if (spawnSync(PSEUDO_TERMINAL, ['--version']).status !== 0) {
    throw new Error("This test needs a pseudo terminal from util-linux's `script`: apt-get install bsdutils")
  }
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ')
  // The shell becomes the command, and its id is left for tests that send it signals.
  const line = `stty cols ${columns} rows 40; echo $$ > pid; exec ${command}`
  const script = ['-q', '-e', '-f', '-c', line, '/dev/null']
  return new Running(
    spawn(PSEUDO_TERMINAL, script, { cwd, env: { ...childEnv(env), SHELL: '/bin/sh' }, stdio: 'pipe' }),
  )
}

/** The id of the request that a demo shows. */
export function requestId(output: string): string {
  const ids = [...output.matchAll(/request\S*\s+([0-9a-f]{8}-[0-9a-f-]{27})/g)]
  const id = ids.at(-1)?.[1]
  if (id === undefined) throw new Error(`no request is shown in:\n${output}`)
  return id
}
