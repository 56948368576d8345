// @ts-check
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * A server, as a module of `subjects/` exports it, and the same in a process of its own.
 *
 * @typedef {{ redisUrl: string, secret: string, steps?: boolean }} ServerParams
 * @typedef {(params: ServerParams) => Promise<{ port: number, close: () => unknown }>} CreateServer
 * @typedef {{ cpuMs: number, rss: number }} Usage
 * @typedef {{ port: number, usage: () => Promise<Usage>, stop: () => Promise<void> }} Server
 */

const CHILD = fileURLToPath(new URL('./server-process.js', import.meta.url))

/** Starts a server and waits until it listens. @param {string} module @param {ServerParams} params @returns {Promise<Server>} */
export async function startServer(module, params) {
  const child = fork(CHILD, [module, JSON.stringify(params)], { stdio: ['ignore', 2, 2, 'ipc'] })
  const answer = () =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${module}: its process ended (see above)`))
      child.once('exit', ended)
      child.once('message', (message) => {
        child.off('exit', ended)
        resolve(message)
      })
    })
  const port = Number(await answer())
  return {
    port,
    usage() {
      child.send('usage')
      return /** @type {Promise<Usage>} */ (answer())
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      // One that cannot end in order must not keep everybody.
      const kill = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await gone
      clearTimeout(kill)
    },
  }
}
