import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import type { JsonObject } from '../../../src/index.ts'
import { type Finished, MAIN } from '../support/programs.ts'
import type { Attempt } from './agent-shell.js'

const SHELL = fileURLToPath(new URL('./agent-shell.js', import.meta.url))
const INDEX = new URL('../../../dist/index.js', import.meta.url).href

/** A policy file in a folder. It holds every command, unless it is given other code after the import. */
export function policyFile(
  dir: string,
  code = 'export default humanInTheLoop({ interruptOn: { Bash: true } })',
): string {
  const file = join(dir, 'policy.mjs')
  writeFileSync(file, `import { humanInTheLoop, definePolicy } from ${JSON.stringify(INDEX)}\n${code}\n`)
  return file
}

/** How a process of an agent is started. */
export interface AgentProcess {
  readonly cwd: string
  readonly env?: Record<string, string>
  /** The user of the agent, if it is another one. */
  readonly uid?: number
}

/** A process that is under way. */
export interface Under {
  readonly pid: number
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<Finished>
}

/** Starts a program with input, as a coding agent starts its hooks. */
export function startProgram(command: readonly string[], input: string, agent: AgentProcess): Under {
  const [program = '', ...args] = command
  const { HOLDPOINT_STORE: _store, HOLDPOINT_URL: _url, HOLDPOINT_TOKEN: _token, ...rest } = process.env
  const child = spawn(program, args, {
    cwd: agent.cwd,
    env: { ...rest, HOLDPOINT_USER: 'dev', ...agent.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(agent.uid === undefined ? {} : { uid: agent.uid, gid: agent.uid }),
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8')
  })
  // A program that ends early does not read its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const ended = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended.catch(() => undefined)
  })
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended }
}

/** Starts `holdpoint` with the input of a hook. */
export function startHook(args: readonly string[], input: JsonObject | string, agent: AgentProcess): Under {
  return startProgram(
    [process.execPath, MAIN, ...args],
    typeof input === 'string' ? input : JSON.stringify(input),
    agent,
  )
}

/** Makes attempts in the shell of an agent, one after another in one process. */
export async function tryInShell(agent: AgentProcess, attempts: readonly Attempt[]): Promise<Finished[]> {
  // Node 22 calls its SQLite experimental, on standard error.
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', SHELL]
  const { code, stdout, stderr } = await startProgram(program, JSON.stringify(attempts), agent).ended
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Finished[]
}
