import { writeSync } from 'node:fs'
import { open } from './open.js'

/** Waits for a thread to grow, with nothing else to keep the process alive, and tells what it saw; with `close`, also that it closed the store. */
const { path, threadId, after, close = false } = JSON.parse(process.argv[2] ?? '')
const store = await open(path)
const { version } = await store.read(threadId)
writeSync(1, `${JSON.stringify({ seen: version })}\n`)
await store.changed(threadId, { after, signal: new AbortController().signal })
writeSync(1, `${JSON.stringify({ seen: (await store.read(threadId)).version })}\n`)
if (close) {
  await store.close()
  writeSync(1, `${JSON.stringify({ closed: true })}\n`)
}
