import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.js'
import type { Snippet } from './snippets.ts'

/** How a snippet ended: its exit code, or `served` for a server that was up and answered until it was told to end. */
export interface Outcome {
  file: string
  code: number | 'served' | 'timeout'
  stdout: string
  stderr: string
}

/** Where snippets run. */
export interface Place {
  /** The folder that the reader works in, with the compiled snippets of the page: what one writes there, the next one finds. */
  folder: string
  env: Record<string, string>
}

/** A snippet that runs. */
export interface Running {
  outcome: Outcome
  /** Fulfilled when it has ended, or serves: with the address that it printed. */
  settled: Promise<string | undefined>
  /** Gives a server a moment to end by itself, then ends it. */
  end(): Promise<void>
  kill(): void
}

const TIMEOUT_MS = 60_000
const MOMENT_MS = 1_000
/** A snippet that prints an address and goes on is a server: the ones after it talk to it. */
const ADDRESS = /http:\/\/(?:127\.0\.0\.1|localhost):\d+\S*/

/** Runs the snippets of a page one after the other, as a reader would. A server stays up until the next one starts, or all have ended. */
export async function runSnippets(snippets: readonly Snippet[], place: Place): Promise<Outcome[]> {
  const started: Running[] = []
  const endAll = () => Promise.all(started.map((one) => one.end()))
  try {
    for (const snippet of snippets) {
      if (listens(snippet)) await endAll()
      const one = startSnippet(snippet, place)
      started.push(one)
      await one.settled
    }
    await endAll()
    return started.map((one) => one.outcome)
  } finally {
    for (const one of started) one.kill()
  }
}

function listens({ code }: Snippet): boolean {
  return code.includes('process.env.PORT') && /listen\(|serve\(/.test(code)
}

/** Starts one snippet. */
export function startSnippet({ file }: Pick<Snippet, 'file'>, { folder, env }: Place): Running {
  const vitest = [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--root',
    folder,
    '--config',
    join(folder, '../vitest.config.js'),
  ]
  const args = file.endsWith('.test.ts') ? vitest : [join(folder, file.replace(/\.tsx?$/, '.js'))]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const outcome: Outcome = { file, code: 'timeout', stdout: '', stderr: '' }
  let isServing = false
  const limit = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  const ended = new Promise<undefined>((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(limit)
      if (code !== null) outcome.code = code
      else if (isServing && signal === 'SIGTERM') outcome.code = 'served'
      resolve(undefined)
    })
  })
  const serving = new Promise<string>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      outcome.stdout += bytes.toString()
      const [address] = ADDRESS.exec(outcome.stdout) ?? []
      if (address === undefined || isServing) return
      isServing = true
      // It is ended when the others on its page are done, however long they take.
      clearTimeout(limit)
      resolve(address)
    })
  })
  child.stderr.on('data', (bytes: Buffer) => {
    outcome.stderr += bytes.toString()
  })
  const answering = serving.then(async (address) => {
    const { status } = await fetch(address)
    if (status >= 500) outcome.stderr += `${address} answered ${status}\n`
    return address
  })
  return {
    outcome,
    settled: Promise.race([ended, answering]),
    end: () => end(child, ended),
    kill: () => child.kill('SIGKILL'),
  }
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const patience = setTimeout(() => child.kill('SIGTERM'), MOMENT_MS)
  await ended
  clearTimeout(patience)
}
