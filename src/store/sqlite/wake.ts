import type { Append } from '../../ports/store.ts'
import type { ReadyPage, ReadyQuery } from '../../ports/store-lists.ts'
import type { WakeMark } from '../../ports/wake.ts'
import { planReady } from '../sql/wake.ts'
import type { Connection } from './connection/connection.ts'
import type { Head } from './heads.ts'
import { SQLITE } from './tables/schema.ts'

/** Writes the wake mark of a thread whose row was just written, unless it is the one that was there before. */
export function writeWake(
  connection: Connection,
  { no, at, wake }: Head,
  { tenant, threadId, append, before }: { tenant: string; threadId: string; append: Append; before: WakeMark },
): void {
  if (wake !== before)
    connection
      .statement('UPDATE threads SET wake_at = ?, wake_tries = ?, run_agent = ?, run_version = ? WHERE no = ?')
      .run([wake.at, wake.tries, wake.agent, wake.agentVersion, no])
  if (append.wake?.op !== 'by' || !append.wake.tell) return
  connection
    .statement(
      `INSERT INTO outbox (tenant, thread, subject, id, what, version, at) VALUES (?, ?, 'thread', ?, 'ready', 0, ?)`,
    )
    .run([tenant, no, threadId, at])
}

/** The threads of all tenants that must be driven. */
export function findReady(connection: Connection, query: ReadyQuery | undefined, now: number): ReadyPage {
  const plan = planReady(SQLITE, { sql: '?', values: [now] }, query)
  return plan.page(connection.statement(plan.query.sql).all(plan.query.values))
}
