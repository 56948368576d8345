import { type MigrationStatus, migratePostgres, migrationStatus, migrations, roleScript } from '../../../postgres.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { storePlace } from '../../store/store-place.ts'

/** Creates or upgrades the tables of a Postgres store while others use it, or prints what would be done. */
export const migrate: Command = {
  name: 'migrate',
  summary: 'create or upgrade the tables of a Postgres store, online',
  about: `Old code can go on meanwhile. If it is interrupted, run it again: it goes on where it stopped.
--status exits with 1 if there is something to do. --print and --print-role connect to nothing.`,
  usage: '[--status | --print | --print-role ROLE]',
  options: {
    status: { help: 'show the version, what is pending, and who changes the tables now' },
    print: { help: 'print the script that creates a store, for psql' },
    'print-role': {
      value: 'ROLE',
      help: 'print a script for a role with the rights that a store needs; --tenant: of one tenant',
    },
  },
  positionals: { min: 0, max: 0 },
  examples: ['migrate --store "$DATABASE_URL"', 'migrate --print-role holdpoint_app | psql "$DATABASE_URL"'],
  async run(call) {
    const role = call.text('print-role')
    if ([call.flag('status'), call.flag('print'), role !== undefined].filter(Boolean).length > 1) {
      throw new UsageError('migrate takes one of --status, --print and --print-role')
    }
    const schema = call.text('schema') ?? 'holdpoint'
    if (call.flag('print')) return print(call, { schema, sql: migrations(schema) })
    if (role !== undefined) {
      const tenant = call.text('tenant')
      return print(call, { schema, sql: roleScript({ role, schema, ...(tenant === undefined ? {} : { tenant }) }) })
    }
    const { at } = storePlace(call)
    if (at.kind === 'file') {
      throw new UsageError(
        'an SQLite store upgrades itself when it is opened. Name one in Postgres: --store postgres://…',
      )
    }
    return call.flag('status')
      ? status(call, { connectionString: at.url, schema })
      : apply(call, { connectionString: at.url, schema })
  },
}

interface Where {
  readonly connectionString: string
  readonly schema: string
}

function print({ context, flag }: Call, script: { schema: string; sql: string }): number {
  context.out(flag('json') ? safeJson(script) : script.sql.trimEnd())
  return 0
}

async function status({ context, flag }: Call, where: Where): Promise<number> {
  const found = await migrationStatus(where)
  if (flag('json')) context.out(safeJson({ schema: where.schema, ...found }))
  else context.out(...statusLines(found))
  return found.pending.length === 0 ? 0 : 1
}

function statusLines({ version, needed, oldest, pending, holder }: MigrationStatus): string[] {
  return [
    version === 0 ? 'There is no store yet.' : `The tables have version ${version}; this build needs ${needed}.`,
    ...(oldest === null ? [] : [`Code for version ${oldest} and newer can serve them.`]),
    ...(holder
      ? [
          `Process ${holder.pid} of the server (${visible(holder.application)}) has held the lock for ${holder.sinceMs} ms.`,
        ]
      : []),
    ...(pending.length === 0 ? ['Nothing is pending.'] : ['Pending:', ...pending.map((name) => `  ${name}`)]),
  ]
}

async function apply({ context, flag }: Call, where: Where): Promise<number> {
  const json = flag('json')
  const done = await migratePostgres({ ...where, onStep: (step) => (json ? undefined : context.out(`${step} …`)) })
  if (json) context.out(safeJson({ schema: where.schema, ...done }))
  else context.out(done.steps.length === 0 ? `Nothing to do: version ${done.to}.` : `Done: version ${done.to}.`)
  return 0
}
