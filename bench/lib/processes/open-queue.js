// @ts-check
import { loadWorker } from '../subject/dist.js'

/** @param {import('../subject/subject.js').QueueSpec} spec @returns {Promise<import('../../../dist/worker.js').Queue>} */
export async function openQueue({ engine, options }) {
  const { bullmqQueue, postgresQueue } = await loadWorker()
  switch (engine) {
    case 'bullmq':
      return bullmqQueue(options)
    case 'postgres': {
      const queue = postgresQueue(options)
      await queue.prepare()
      return queue
    }
    default:
      throw new Error(`no queue is called ${engine}`)
  }
}
