import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { inTime } from './in-time.ts'

const late = () => new Error('late')
const frozen = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

it('passes on what the work comes to', async () => {
  await expect(inTime(Promise.resolve(1), 1000, late)).resolves.toBe(1)
  await expect(inTime(Promise.reject(new Error('failed')), 1000, late)).rejects.toThrow('failed')
})

it('gives up after the time', async () => {
  await expect(inTime(new Promise(() => undefined), 5, late)).rejects.toThrow('late')
})

it('a failure that comes after the time is ignored', async () => {
  let fail = (_: Error): void => undefined
  const work = new Promise((_, reject) => {
    fail = reject
  })
  await expect(inTime(work, 5, late)).rejects.toThrow('late')
  fail(new Error('nobody listens'))
  await new Promise((resolve) => setImmediate(resolve))
})

it('reads an answer that arrived while the process was frozen', async () => {
  const other = new Worker(
    `const { parentPort } = require('node:worker_threads')
     parentPort.once('message', () => setTimeout(() => parentPort.postMessage('here'), 20))`,
    { eval: true },
  )
  await once(other, 'online')
  const answer = once(other, 'message').then(([message]) => message)
  other.postMessage('ask')
  const timed = inTime(answer, 50, late)
  frozen(200)
  await expect(timed).resolves.toBe('here')
})
