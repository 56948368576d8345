import { bullmqQueue, inProcessQueue, postgresQueue, type Queue } from '../../worker.ts'
import { UsageError } from '../command-line/errors.ts'
import type { Config } from '../config/settings.ts'
import { isPostgres } from '../store/store-place.ts'

/** Opens the queue of a configuration. Without one, the process rings only itself, and workers find threads by looking. */
export function openQueue(config: Config): Queue {
  const { queue, queueSchema } = config
  if (queue !== undefined && isPostgres(queue)) return openPostgres(queue, config)
  if (queueSchema !== undefined) throw new UsageError('a queue schema is for a queue in Postgres')
  return queue === undefined ? inProcessQueue() : bullmqQueue({ connection: queue })
}

/** In the store's own database decisions ring in their transaction. Who may create nothing uses the trigger that `holdpoint migrate` made. */
function openPostgres(
  connectionString: string,
  { store, schema = 'holdpoint', queueSchema, listen, migrate }: Config,
): Queue {
  const isOfStore = connectionString === store
  return postgresQueue({
    connectionString,
    ...(queueSchema === undefined ? {} : { schema: queueSchema }),
    ...(isOfStore && migrate !== 'never' ? { storeSchema: schema } : {}),
    ...(isOfStore && listen !== undefined ? { listenConnectionString: listen } : {}),
  })
}
