// @ts-check
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * What is measured, as a module of `subjects/` exports it: `prepare` makes what `count` samples need and is not timed; `run` is one sample,
 * timed from its call to its end unless it returns `{ ms }` of its own.
 *
 * @typedef {{ prepare?: (count: number) => unknown[] | Promise<unknown[]>, run: (made: any) => unknown, close?: () => unknown }} SubjectBody
 * @typedef {{ dir: string, turns: number, rules?: number, url?: string, what?: string, lanes?: number, each?: number, durability?: import('../sqlite/raw.js').Durability, wal?: 'plain' | 'checkpoint', pair?: import('../processes/resume-pair.js').PairSpec }} Params `lanes`: how many work at once; `each`: how many cycles of each of them make a sample; `wal`: count the log of the server at `url`, from a checkpoint on
 * @typedef {{ engine: 'bullmq' | 'postgres', options: any }} QueueSpec
 * @typedef {(params: Params) => Promise<SubjectBody>} CreateSubject
 *
 * @typedef {{ name: string, module: string, params: Params }} SubjectSpec
 * @typedef {{ wall: number, tail: number, cpu: number, share: number, wal: number }} Turn milliseconds per sample: the median and the 95th percentile by the clock, the mean of the processor; `wal`: bytes per sample
 * @typedef {{ name: string, play: (samples: number) => Promise<Turn>, stop: () => Promise<void> }} Subject
 */

const CHILD = fileURLToPath(new URL('./subject-process.js', import.meta.url))

/** Starts a subject in a process of its own and waits until it is ready. @param {SubjectSpec} spec @returns {Promise<Subject>} */
export async function startSubject({ name, module, params }) {
  const child = fork(CHILD, [module, JSON.stringify(params)], {
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const answer = () =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${name}: its process ended (see above)`))
      child.once('exit', ended)
      child.once('message', (message) => {
        child.off('exit', ended)
        resolve(message)
      })
    })
  await answer()
  return {
    name,
    play(samples) {
      child.send(samples)
      return /** @type {Promise<Turn>} */ (answer())
    },
    async stop() {
      if (child.exitCode !== null || !child.connected) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await gone
    },
  }
}
