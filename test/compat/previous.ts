import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll } from 'vitest'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** What a process of the previous build can be told. */
export interface Previous {
  (act: 'open', options: { threadId: string; ask?: unknown }): Promise<string>
  (act: 'decide', options: { request: string; always?: true }): Promise<string>
  (act: 'resume', options: { threadId: string; ask?: unknown }): Promise<string>
  (act: 'list'): Promise<string[]>
  (act: 'sweep'): Promise<{ expired: number }>
  (act: 'close'): Promise<void>
}

/** Unpacks the previous build for the tests of a file, and ends its processes after them. Gives a function that starts one on a store. */
export function usePrevious(): (address: string) => Promise<Previous> {
  let folder: string
  const build = () => join(folder, 'previous-build.js')
  const children: ChildProcess[] = []
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdpoint-previous-'))
    writeFileSync(build(), gunzipSync(readFileSync(here('previous-build.js.gz'))))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    symlinkSync(here('../../node_modules'), join(folder, 'node_modules'), 'dir')
  })
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return (address) => startPrevious(build(), { address, children })
}

/** Starts the previous build on a store. Nothing is opened before it is told to do something. */
async function startPrevious(
  build: string,
  { address, children }: { address: string; children: ChildProcess[] },
): Promise<Previous> {
  const child: ChildProcess = fork(here('previous-process.js'), [build, address], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    cwd: here('../..'),
  })
  children.push(child)
  const answers: ((said: Record<string, unknown>) => void)[] = []
  child.on('message', (said) => answers.shift()?.(said as Record<string, unknown>))
  child.on('exit', (code) => answers.shift()?.({ failed: { message: `the previous build ended with ${code}` } }))
  const answer = async () => {
    const said = await new Promise<Record<string, unknown>>((resolve) => answers.push(resolve))
    if ('failed' in said) throw Object.assign(new Error(), said.failed)
    return said.done
  }
  await answer()
  return (async (act: string, options: object = {}) => {
    const answered = answer()
    child.send({ act, ...options })
    return answered
  }) as Previous
}
