import { isAbsolute, resolve } from 'node:path'
import type { Call } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { shellOption } from '../../store/store-place.ts'
import type { HostName } from '../hook.ts'
import type { GatePlace } from '../open-gate.ts'

/**
 * The shell command of a hook. It names programs and files by their full paths, as hosts start hooks in other folders and with other environments. If the gate
 * cannot be started, crashes or is killed, the shell says so and exits with 2, which every host takes for a denial.
 */
export function hookCommand(
  call: Call,
  { host, place, limit, program }: { host: HostName; place: GatePlace; limit: number; program: readonly string[] },
): string {
  const full = (path: string) => (isAbsolute(path) ? path : resolve(call.context.cwd, path))
  const words = program.map((word) => shellOption('x', word).slice(' --x '.length)).join(' ')
  const file = call.text('token-file')
  const where =
    place.at === 'gateway'
      ? `${shellOption('gateway', place.url)}${shellOption('token-file', file === undefined ? undefined : full(file))}`
      : `${shellOption('policy', full(place.policy))}${shellOption('store', storeName(call, place))}${shellOption('schema', call.text('schema'))}${shellOption('tenant', place.store.tenant)}${shellOption('via', place.via?.join(',') ?? 'any')}`
  return `${words} gate --host ${host}${where} --limit ${limit}s || { echo 'holdpoint gate failed: the call is not let through' >&2; exit 2; }`
}

/** The address of a database has a password in it: it stays in HOLDPOINT_STORE. */
function storeName({ context }: Call, { store }: Extract<GatePlace, { at: 'store' }>): string | undefined {
  if (store.at.kind === 'file') return store.at.path
  if (context.settings.store !== undefined) return undefined
  throw new UsageError(
    'a database is named by HOLDPOINT_STORE, since its address has a password: set it where the agent runs',
  )
}
