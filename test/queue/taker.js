// Consumes a route and never ends its handler: whoever started it kills it once it says that it has something.
import { bullmqQueue, postgresQueue } from '../../dist/worker.js'

const [engine, route = '', options = ''] = process.argv.slice(2)
const queue = (engine === 'bullmq' ? bullmqQueue : postgresQueue)(JSON.parse(options))
await queue.consume({
  routes: [route],
  concurrency: 1,
  handle(wakeUp) {
    process.stdout.write(`${JSON.stringify(wakeUp)}\n`)
    return new Promise(() => undefined)
  },
  onError: (error) => process.stderr.write(`${error}\n`),
})
