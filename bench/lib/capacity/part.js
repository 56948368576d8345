// @ts-check
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** @typedef {Awaited<ReturnType<typeof startPart>>} Part */

const CHILD = fileURLToPath(new URL('./part-process.js', import.meta.url))

/** Starts a part, and waits until it is ready. @param {'gateway' | 'worker' | 'agents'} role @param {import('./part-process.js').PartSpec} spec */
export async function startPart(role, spec) {
  const child = fork(CHILD, [role, JSON.stringify(spec)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  /** @type {Map<string, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  child.on('message', (/** @type {{ name: string, value: any }} */ { name, value }) => {
    waiting.get(name)?.resolve(value)
    waiting.delete(name)
  })
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`the process of ${role} ended (see above)`))
  })
  /** What it tells under that name. @param {string} name @returns {Promise<any>} */
  const told = (name) => new Promise((resolve, reject) => waiting.set(name, { resolve, reject }))
  /** @param {object} message @param {string} answer */
  const ask = (message, answer) => {
    const answered = told(answer)
    child.send(message)
    return answered
  }
  const ready = await told('ready')
  return {
    ready,
    told,
    /** Milliseconds. @returns {Promise<number>} */
    cpu: () => ask({ what: 'cpu' }, 'cpu'),
    /** Bytes. @returns {Promise<{ rss: number, heap: number }>} */
    memory: () => ask({ what: 'memory' }, 'memory'),
    /** @param {string} threadId @returns {Promise<void>} */
    open: (threadId) => ask({ what: 'open', threadId }, `opened ${threadId}`),
    async end() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
