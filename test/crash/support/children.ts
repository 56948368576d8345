import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/lib/root.js'

/** How a child ended. */
export interface ChildEnd {
  killed: boolean
  code: number | null
  stderr: string
  /** How long it went on after its first word. */
  ms: number
}

/** A plain JavaScript program beside the tests. */
export type Program =
  | 'adapter/ai-sdk-gate/host.js'
  | 'adapter/langchain/host.js'
  | 'adapter/openai-agents/host.js'
  | 'crash/support/worker.js'
  | 'crash/support/beside.js'
  | 'gate/host.js'
  | 'races/contender.js'

/** How a child is run. */
export interface ChildOptions {
  /** Sends SIGKILL that long after it said that it is ready; a child that ends before is left alone. */
  killAfterMs?: number
  /** A program that runs it, with its arguments. */
  under?: readonly string[]
  env?: Record<string, string>
}

/** Runs a program in a process of its own with one argument. */
export function runChild(
  program: Program,
  work: object,
  { killAfterMs, under = [], env = {} }: ChildOptions = {},
): Promise<ChildEnd> {
  // Node 22 calls its SQLite experimental, on standard error.
  const node = [process.execPath, '--disable-warning=ExperimentalWarning']
  const [command, ...args] = [...under, ...node, join(ROOT, 'test', program), JSON.stringify(work)]
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  let began = performance.now()
  let stderr = ''
  let timer: NodeJS.Timeout | undefined
  child.stdout.once('data', () => {
    began = performance.now()
    if (killAfterMs !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  })
  child.stdout.resume()
  child.stderr.on('data', (data: Buffer) => {
    stderr += data
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ killed: signal === 'SIGKILL', code, stderr, ms: performance.now() - began })
    })
  })
}

/** Does work for each item, a few at a time, and gives the answers in order. */
export async function eachOf<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index]!, index)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return results
}

/** The lines that children appended to a file with `record`, parsed. Lines are whole, even if their writer was killed. */
export function readLines<T>(file: string): T[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

/** Tells people who wait how far it is. Not through the console, which is only shown when a test fails. */
export function tell(text: string): void {
  process.stderr.write(`      ${text}\n`)
}
