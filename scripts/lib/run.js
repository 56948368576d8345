import { spawn, spawnSync } from 'node:child_process'

/** A failure that is explained by its message alone: no stack is printed. */
export class Failure extends Error {}

/**
 * Runs a script's main function; its number is the exit code.
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
 * Runs a program to its end and returns what it printed.
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
 * Runs a program in the foreground and resolves to its exit code. It gets each signal once: a terminal sends Ctrl-C to the
 * whole group by itself (and npm sends it again), so there it is only waited for; otherwise signals are passed on.
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
 * npm runs scripts through a shell that dies of SIGTERM without passing it on; the script would then run on for ever.
 * @param {() => void} act
 */
function whenOrphaned(act) {
  const parent = process.ppid
  const look = () => process.env.npm_lifecycle_event && process.ppid !== parent && act()
  return setInterval(look, 250).unref()
}
