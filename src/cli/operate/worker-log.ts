import { errorFields, repeatedErrors } from '../../gateway/log.ts'
import type { Logger } from '../../gateway.ts'
import type { WorkerEvent, WorkerListener } from '../../worker.ts'

/** Logs what a worker does. Ordinary drives are not logged: metrics count them. The same failure of work in the background is logged once a minute. */
export function workerLog(logger: Logger): WorkerListener {
  const tell = repeatedErrors(logger)
  return (event: WorkerEvent) => {
    switch (event.type) {
      case 'failed': {
        const { tenantId, threadId, tries, retryInMs, error } = event
        return logger.warn(
          { tenantId, threadId, tries, retryInMs, ...errorFields(error) },
          'a thread failed, and is tried again',
        )
      }
      case 'dead': {
        const { tenantId, threadId, tries, error } = event
        return logger.error(
          { tenantId, threadId, tries, ...errorFields(error) },
          'a thread is stuck: holdpoint threads --stuck',
        )
      }
      case 'error':
        return tell(event.error, event.what)
      case 'erased':
        return logger.info({ erased: event.threads }, 'threads were erased: they were over and too old')
      case 'driven':
      case 'passed':
      case 'relayed':
      case 'swept':
        return
      default:
        return event satisfies never
    }
  }
}
