import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Job } from './command-thread.js'

/** What the command left. */
export interface Left {
  code: number | null
  stdout: string
  stderr: string
}

interface Thread {
  port: MessagePort
  done: Int32Array
}

/** Against hangs alone. */
const LONGEST_MS = 60_000
const threads = new Map<string, Thread>()

/** Runs the command whose main file this is in the thread that is kept for it, and blocks until it has ended, like `spawnSync`. */
export function runInThread(main: string, job: Job): Left {
  const thread = threads.get(main) ?? startThread(main)
  threads.set(main, thread)
  const { port, done } = thread
  Atomics.store(done, 0, 0)
  port.postMessage(job)
  // The notification of the job before may come only now: it says nothing of this one.
  const deadline = Date.now() + LONGEST_MS
  while (Atomics.load(done, 0) === 0 && Date.now() < deadline) Atomics.wait(done, 0, 0, deadline - Date.now())
  if (Atomics.load(done, 0) === 0) {
    threads.delete(main)
    throw new Error(`holdpoint ${job.args.join(' ')} did not end in ${LONGEST_MS} ms`)
  }
  const left: Left | { error: string } = receiveMessageOnPort(port)!.message
  if ('error' in left) throw new Error(`holdpoint ${job.args.join(' ')} threw: ${left.error}`)
  return left
}

function startThread(main: string): Thread {
  const { port1: port, port2: its } = new MessageChannel()
  const done = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { main, port: its, done }
  const file = new URL('./command-thread.js', import.meta.url)
  new Worker(file, { workerData, transferList: [its], execArgv: [], stdin: true }).unref()
  port.unref()
  return { port, done }
}
