import { migrations } from '../../../postgres.ts'
import { type Command, storeOptions } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { safeJson } from '../../render/visible.ts'

/** Shows what is done to a Postgres database before a store can be in it. It connects to nothing. */
export const migrate: Command = {
  name: 'migrate',
  summary: 'print the SQL that creates a Postgres store, for review',
  usage: '--print [--schema NAME]',
  options: {
    print: { help: 'print the script, for psql' },
    schema: storeOptions.schema,
  },
  storeless: true,
  positionals: { min: 0, max: 0 },
  examples: ['migrate --print | psql "$DATABASE_URL"'],
  async run(call) {
    if (!call.flag('print')) {
      throw new UsageError('migrate needs --print. A Postgres store creates its schema itself when it is first used')
    }
    const schema = call.text('schema') ?? 'holdpoint'
    const sql = migrations(schema)
    call.context.out(call.flag('json') ? safeJson({ schema, sql }) : sql.trimEnd())
    return 0
  },
}
