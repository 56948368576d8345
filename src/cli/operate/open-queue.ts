import { bullmqQueue, inProcessQueue, postgresQueue, type Queue } from '../../worker.ts'
import { isPostgres } from '../store/store-place.ts'

/** Opens the queue at an address. Without one, the process rings only itself, and workers find threads by looking. */
export function openQueue(address: string | undefined): Queue {
  if (address === undefined) return inProcessQueue()
  return isPostgres(address) ? postgresQueue({ connectionString: address }) : bullmqQueue({ connection: address })
}
