import { shellOption } from '../store/store-place.ts'

/** What `holdpoint migrate` has to be told to reach what was checked, whatever the configuration says. */
export interface MigrateTarget {
  /** The schema of the store. */
  readonly schema: string
  readonly queueSchema?: string
}

/** Prints the script of a role: nothing is connected. */
export interface RoleTarget extends MigrateTarget {
  readonly role: string
  /** It keeps the right to erase threads: the script takes away what it does not give. */
  readonly erase: boolean
}

const USUAL = 'holdpoint'

/**
 * The command that creates or upgrades what was checked. It reads no configuration but HOLDPOINT_STORE, so it is told the rest. `store`: the option that
 * names the store.
 */
export function migrateCommand({ schema, queueSchema, store = '' }: MigrateTarget & { store?: string }): string {
  return `holdpoint migrate${store}${places({ schema, ...(queueSchema === undefined ? {} : { queueSchema }) })}`
}

/** The command that prints the rights of a role. */
export function roleCommand({ role, erase, ...target }: RoleTarget): string {
  return `holdpoint migrate --print-role ${role}${erase ? ' --erase' : ''}${places(target)}`
}

function places({ schema, queueSchema }: MigrateTarget): string {
  return `${shellOption('schema', schema === USUAL ? undefined : schema)}${shellOption('queue-schema', queueSchema)}`
}
