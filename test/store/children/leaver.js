import { writeSync } from 'node:fs'
import { open } from './open.js'

/** Ends its process by itself, `afterMs` after it has sent one long append to the thread that writes. Tells what it heard of it until then. */
const { path, entries, afterMs, code, handler } = JSON.parse(process.argv[2] ?? '')
process.on('exit', () => {
  if (handler === 'exits') process.exit(code)
  if (handler === 'throws') throw new Error('of the exit handler')
})
const store = await open(path, { thread: true, durability: 'process' })
await store.append({ threadId: 't', entries: ['{"n":0}'] })
let answered = false
store.append({ threadId: 't', entries: Array.from({ length: entries }, (_, n) => `{"n":${n}}`) }).then(() => {
  answered = true
})
setTimeout(() => {
  writeSync(1, `${JSON.stringify({ answered })}\n`)
  process.exit(code)
}, afterMs)
