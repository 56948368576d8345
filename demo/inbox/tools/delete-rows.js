import { tool } from 'holdpoint'
import { z } from 'zod'
import { perform } from '../deps.js'

const SIZES = { sessions: 48_210, session_events: 361_902, carts: 12_840 }

export const countRows = tool({
  name: 'count_rows',
  description: 'Counts the rows that a condition matches.',
  parameters: z.object({ table: z.string(), where: z.string() }),
  idempotent: true,
  execute: ({ table }) => ({ table, rows: table === 'carts' ? 312 : 1284 }),
})

export const deleteRows = tool({
  name: 'delete_rows',
  description: 'Deletes the rows of a table that a condition matches.',
  parameters: z.object({
    statement: z.string(),
    rows: z.number().int().nonnegative(),
    table: z.enum(['sessions', 'carts']),
    database: z.string(),
    timeoutSeconds: z.number().int().positive().max(300).default(30),
  }),
  risk: 'high',
  idempotent: true,
  display: {
    title: 'Delete {rows} rows from {table}',
    fields: { statement: 'sql', rows: 'number', table: 'id', database: 'id', timeoutSeconds: 'number' },
    environment: 'production',
    affected: ({ rows, table }) =>
      table === 'sessions' ? `${rows.toLocaleString('en')} rows, 2 tables` : `${rows.toLocaleString('en')} rows`,
  },
  // Counts move while people think. What they decided about is the statement.
  previewCheck: 'none',
  preview: ({ table, rows }) =>
    table === 'carts'
      ? { carts: { rows, of: SIZES.carts } }
      : {
          sessions: { rows, of: SIZES.sessions },
          session_events: { rows: 9411, of: SIZES.session_events },
          sample: [
            { id: 88120, user_id: 4410, last_seen: '2024-11-02 08:14', device: 'iOS 16' },
            { id: 88121, user_id: 4410, last_seen: '2024-11-02 08:15', device: 'iOS 16' },
            { id: 90377, user_id: 5127, last_seen: '2024-12-19 21:40', device: 'Firefox 131' },
          ],
        },
  execute: ({ rows, table, database }, ctx) => perform(ctx, `deleted ${rows} rows from ${table} in ${database}`),
})
