import type { Actor } from '../../index.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'

/** Who decides, and in which groups. The user is trusted about that: anyone who can write the store could write any name into it. */
export function actorOf(call: Call): Actor {
  const id = call.text('as') ?? call.context.settings.user
  if (id === undefined || id.trim() === '') throw new UsageError('say who decides: --as NAME or HOLDPOINT_USER')
  const groups = [...call.texts('group')]
  return { kind: 'person', id, ...(groups.length > 0 ? { groups } : {}), via: 'cli' }
}
