import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'

/**
 * Runs the published command again and again in one thread: its main file is evaluated anew for every call, and what it imports is loaded once.
 * The thread looks to it like a process that has no terminal.
 *
 * @typedef {{ cwd: string, args: readonly string[], env: Record<string, string | undefined> }} Job
 * @typedef {{ main: string, port: import('node:worker_threads').MessagePort, done: Int32Array }} Data
 */

const { main, port, done } = /** @type {Data} */ (workerData)
const { href } = pathToFileURL(main)
let calls = 0

// Node's own listener prints to the standard error of the whole process.
process.removeAllListeners('warning')

/** @param {Job} job */
async function run({ cwd, args, env }) {
  const printed = { stdout: '', stderr: '' }
  /** @param {Error & { code?: string }} warning */
  const onWarning = ({ name, code, message }) => {
    printed.stderr += `(node:${process.pid}) ${code === undefined ? '' : `[${code}] `}${name}: ${message}\n`
  }
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    process[name].write = (/** @type {unknown} */ chunk) => {
      printed[name] += String(chunk)
      return true
    }
  }
  process.argv = [process.execPath, main, ...args]
  process.env = env
  process.cwd = () => cwd
  process.exitCode = undefined
  const { emitWarning } = process
  process.on('warning', onWarning)
  try {
    calls += 1
    await import(`${href}?call=${calls}`)
    // Warnings are emitted in the next tick.
    await new Promise(setImmediate)
    return { code: Number(process.exitCode ?? 0), ...printed }
  } finally {
    process.off('warning', onWarning)
    process.emitWarning = emitWarning
    process.stdout.removeAllListeners('error')
  }
}

port.on('message', async (job) => {
  port.postMessage(await run(job).catch((error) => ({ error: String(error?.stack ?? error) })))
  Atomics.store(done, 0, 1)
  Atomics.notify(done, 0)
})
