import type pg from 'pg'
import type { WakeUp } from '../../ports/queue.ts'
import { checkRing } from '../shared/check.ts'
import { digest, ringKey } from '../shared/names.ts'

/** What a job carries. `failures`: how often its handler rejected. */
export interface WakeJob {
  wakeUp: WakeUp
  failures: number
}

/** The task identifier of a route. The trigger makes it, too. */
export function taskOf(route: string): string {
  return digest(route)
}

/** Adds a job that is due after a delay. */
export async function addJob(pool: pg.Pool, schema: string, job: WakeJob & { delayMs: number }): Promise<void> {
  const { wakeUp, failures, delayMs } = job
  const payload = JSON.stringify(failures === 0 ? wakeUp : { ...wakeUp, failures })
  const values = [taskOf(wakeUp.route), payload, ringKey(wakeUp, undefined), delayMs]
  await pool.query(`SELECT "${schema}".holdpoint_ring($1, $2, $3, $4)`, values)
}

/** Parses the payload of a job. */
export function parseJob(payload: unknown): WakeJob {
  const { failures } = Object(payload) as { failures?: unknown }
  const { wakeUp } = checkRing(payload as WakeUp)
  return { wakeUp, failures: typeof failures === 'number' && failures >= 0 ? failures : 0 }
}
