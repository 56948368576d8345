import type { WarningName } from '../../../ports/warnings.ts'
import { HoldpointError, StoreFailed } from '../../../protocol/errors/errors.ts'
import type { OnWarning } from '../../shared/warning.ts'
import type { Place } from './place.ts'
import type { Run } from './run.ts'

/** Settings with which a server may lose or corrupt acknowledged writes, whatever statements do. */
const UNSAFE: readonly { name: string; value: string; code: WarningName; meaning: string }[] = [
  {
    name: 'fsync',
    value: 'off',
    code: 'fsync_off',
    meaning: 'acknowledged writes may be lost or corrupted when the machine loses power',
  },
  {
    name: 'full_page_writes',
    value: 'off',
    code: 'full_page_writes_off',
    meaning: 'pages may be corrupted when the machine loses power',
  },
  {
    name: 'zero_damaged_pages',
    value: 'on',
    code: 'zero_damaged_pages_on',
    meaning: 'damaged pages are zeroed instead of being reported',
  },
  {
    name: 'ignore_checksum_failure',
    value: 'on',
    code: 'ignore_checksum_failure_on',
    meaning: 'damaged pages are read as if they were intact',
  },
]

/** Reports settings that make the store less durable than it promises, and unlogged tables, which a crash empties. */
export async function warnOfSettings(run: Run, { schema, name }: Place, onWarning: OnWarning): Promise<void> {
  /** An error that it throws is a refusal and is not retried. */
  const tell: OnWarning = (warning) => {
    try {
      onWarning(warning)
    } catch (error) {
      throw HoldpointError.isInstance(error) ? error : new StoreFailed(name, error)
    }
  }
  const rows = await run('SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[])', [
    UNSAFE.map((unsafe) => unsafe.name),
  ])
  for (const unsafe of UNSAFE) {
    if (!rows.some((row) => row.name === unsafe.name && row.setting === unsafe.value)) continue
    tell({
      code: unsafe.code,
      message: `${name}: the server is set to ${unsafe.name} = ${unsafe.value}, so ${unsafe.meaning}.`,
    })
  }
  const unlogged = await run(
    `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relpersistence <> 'p' ORDER BY c.relname`,
    [schema],
  )
  if (unlogged.length === 0) return
  const tables = unlogged.map(({ relname }) => relname).join(', ')
  tell({ code: 'unlogged', message: `${name}: a crash of the server empties unlogged tables: ${tables}.` })
}
