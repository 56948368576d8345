// Consumes a route until its input ends, then closes the queue. Whoever started it sees whether the process ends by itself.
import { once } from 'node:events'
import { bullmqQueue, postgresQueue } from '../../dist/worker.js'

const [engine, options = ''] = process.argv.slice(2)
const queue = (engine === 'bullmq' ? bullmqQueue : postgresQueue)(JSON.parse(options))
await queue.consume({
  routes: ['here', 'there'],
  concurrency: 2,
  handle: async ({ threadId }) => void process.stdout.write(`handled ${threadId}\n`),
  onError: () => process.stdout.write('failed\n'),
})
await once(process.stdin.resume(), 'end')
await queue.close()
