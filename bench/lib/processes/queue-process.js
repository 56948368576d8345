// @ts-check
// A consumer of a queue in a process of its own. It tells when each wake-up was handed to it.
import { openQueue } from './open-queue.js'

process.on('disconnect', () => process.exit())
const queue = await openQueue(JSON.parse(process.argv[2] ?? ''))
await queue.consume({
  routes: ['bench'],
  concurrency: 16,
  handle: async (/** @type {{ threadId: string }} */ { threadId }) => {
    const at = `${process.hrtime.bigint()}`
    process.send?.({ threadId, at })
  },
  onError: (/** @type {unknown} */ error) => console.error(error),
})
process.send?.({ ready: true })
