import type { GrantOptions } from '../../index.ts'
import type { GrantScope } from '../../protocol/grant.ts'
import { grantScopes } from '../../protocol/grant.ts'
import type { Call, Option } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { toSeconds } from '../command-line/time-span.ts'

/** Options that limit `--always`. */
export const grantOptions = {
  scope: { value: 'SCOPE', help: `with --always: ${grantScopes.join(', ')} (default: run)` },
  uses: { value: 'N', help: 'with --always: for at most this many calls' },
  expires: { value: 'TIME', help: 'with --always: for this long, such as 90s, 30m, 8h or 7d' },
} satisfies Record<string, Option>

/** An option that limits `--always` of an approval. */
export const capOption = {
  cap: { value: 'FIELD=MAX', help: 'with --always: until the values of this argument add up to more than MAX' },
} satisfies Record<string, Option>

const LIMITS = ['scope', 'uses', 'expires', 'cap']

/** Which later calls the decision covers, too. `undefined`: none. */
export function alwaysOf(call: Call): GrantOptions | undefined {
  if (!call.flag('always')) {
    const stray = LIMITS.find((name) => call.text(name) !== undefined)
    if (stray !== undefined) throw new UsageError(`--${stray} needs --always, which it limits`)
    return undefined
  }
  const [scope, uses, expires, cap] = LIMITS.map((name) => call.text(name))
  return {
    ...(scope === undefined ? {} : { scope: toScope(scope) }),
    ...(uses === undefined ? {} : { uses: toUses(uses) }),
    ...(expires === undefined ? {} : { expiresInSeconds: toSeconds('expires', expires) }),
    ...(cap === undefined ? {} : { cap: toCap(cap) }),
  }
}

function toScope(text: string): GrantScope {
  const scope = grantScopes.find((each) => each === text)
  if (scope === undefined) throw new UsageError(`--scope must be one of ${grantScopes.join(', ')}, not '${text}'`)
  return scope
}

function toUses(text: string): number {
  const uses = Number(text)
  if (!Number.isSafeInteger(uses) || uses < 1) throw new UsageError('--uses must be an integer, 1 or more')
  return uses
}

function toCap(text: string): { field: string; max: number } {
  const at = text.lastIndexOf('=')
  const max = Number(text.slice(at + 1))
  if (at < 1 || text.slice(at + 1).trim() === '' || !Number.isFinite(max) || max <= 0)
    throw new UsageError(`--cap must be FIELD=MAX with a number above 0, not '${text}'`)
  return { field: text.slice(0, at), max }
}
