import { type MigrationStatus, migratePostgres, migrationStatus, migrations, roleScript } from '../../../postgres.ts'
import { postgresQueue, queueRoleScript } from '../../../worker.ts'
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
  usage: '[--status | --print | --print-role ROLE [--erase]] [--queue-schema NAME]',
  options: {
    status: { help: 'show the version, what is pending, and who changes the tables now' },
    print: { help: 'print the script that creates a store, for psql' },
    'print-role': {
      value: 'ROLE',
      help: 'print a script for a role with the rights that a store needs; --tenant: of one tenant',
    },
    'queue-schema': {
      value: 'NAME',
      help: 'also the queue in this schema (holdpoint_queue, unless you named another one): its tables, or its rights',
    },
    erase: { help: 'with --print-role: the role may also erase threads' },
  },
  positionals: { min: 0, max: 0 },
  examples: ['migrate --store "$DATABASE_URL"', 'migrate --print-role app | psql -v ON_ERROR_STOP=1 "$OWNER_URL"'],
  async run(call) {
    const role = call.text('print-role')
    if ([call.flag('status'), call.flag('print'), role !== undefined].filter(Boolean).length > 1) {
      throw new UsageError('migrate takes one of --status, --print and --print-role')
    }
    if (role === undefined && call.flag('erase')) throw new UsageError('--erase goes with --print-role')
    if ((call.flag('status') || call.flag('print')) && call.text('queue-schema') !== undefined)
      throw new UsageError('--queue-schema goes with --print-role, or with neither --print nor --status')
    const schema = call.text('schema') ?? 'holdpoint'
    if (call.flag('print')) return print(call, { schema, sql: migrations(schema) })
    if (role !== undefined) return print(call, { schema, sql: rightsOf(call, role, schema) })
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

/** A role of one tenant gets no queue, whose jobs name the threads of all tenants, and cannot erase, which is recorded for all tenants. */
function rightsOf(call: Call, role: string, schema: string): string {
  const tenant = call.text('tenant')
  const queue = call.text('queue-schema')
  if (tenant !== undefined && queue !== undefined) {
    throw new UsageError('a role of one tenant has no queue: leave out --tenant or --queue-schema')
  }
  if (tenant !== undefined && call.flag('erase')) {
    throw new UsageError('a role of one tenant cannot erase: leave out --tenant or --erase')
  }
  const store = roleScript({ role, schema, erase: call.flag('erase'), ...(tenant === undefined ? {} : { tenant }) })
  return queue === undefined ? store : `${store}${queueRoleScript({ role, schema: queue })}`
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

async function apply({ context, flag, text }: Call, where: Where): Promise<number> {
  const json = flag('json')
  const done = await migratePostgres({ ...where, onStep: (step) => (json ? undefined : context.out(`${step} …`)) })
  const queueSchema = text('queue-schema')
  if (queueSchema !== undefined) await prepareQueue(where, queueSchema)
  if (json) context.out(safeJson({ schema: where.schema, ...done }))
  else {
    context.out(done.steps.length === 0 ? `The tables had version ${done.to} already.` : `Done: version ${done.to}.`)
    if (queueSchema !== undefined) context.out(`The queue is in the schema ${visible(queueSchema)}.`)
  }
  return 0
}

async function prepareQueue({ connectionString, schema }: Where, queueSchema: string): Promise<void> {
  const queue = postgresQueue({ connectionString, schema: queueSchema, storeSchema: schema })
  try {
    await queue.prepare()
  } finally {
    await queue.close()
  }
}
