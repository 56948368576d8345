import { spawn, spawnSync } from 'node:child_process'

/** An expected failure: its message is printed without a stack trace. */
export class Failure extends Error {}

/**
 * Runs a script's main function, which returns the exit code.
 * @param {() => Promise<number>} body
 */
export async function main(body) {
  try {
    process.exitCode = await body()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    console.error(`\nholdpoint: ${error.message}`)
    process.exitCode = 1
  }
}

/**
 * Runs a program to its end and returns its output.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 */
export function capture(command, args, options = {}) {
  const done = spawnSync(command, args, { ...options, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const output = done.error ? String(done.error) : `${done.stdout ?? ''}${done.stderr ?? ''}`
  return { ok: done.status === 0, output, stdout: done.stdout ?? '' }
}

/**
 * Runs a program in the foreground and resolves to its exit code. The program gets each signal once. In a
 * terminal, Ctrl-C reaches the whole process group (and npm sends it again), so this only waits; elsewhere it forwards signals.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>}
 */
export function foreground(command, args, options = {}) {
  const child = spawn(command, args, { stdio: 'inherit', ...options })
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    if (signal === 'SIGINT' && process.stdin.isTTY) return
    child.kill(signal)
  }
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, pass)
  const watch = whenOrphaned(() => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Failure(`${command} did not start: ${error.message}`)))
    child.once('close', (code, signal) => {
      for (const each of signals) process.off(each, pass)
      clearInterval(watch)
      resolve(code ?? 128 + (signal === 'SIGINT' ? 2 : signal === 'SIGHUP' ? 1 : signal === 'SIGKILL' ? 9 : 15))
    })
  })
}

/**
 * Calls `act` when the parent process is gone. npm runs scripts through a shell that exits on SIGTERM without forwarding it; the script would run
 * for ever.
 * @param {() => void} act
 */
function whenOrphaned(act) {
  const parent = process.ppid
  const look = () => process.env.npm_lifecycle_event && process.ppid !== parent && act()
  return setInterval(look, 250).unref()
}
