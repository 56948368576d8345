import type { GrantOptions } from '../../index.ts'
import type { GrantScope } from '../../protocol/grant.ts'
import { grantScopes } from '../../protocol/grant.ts'
import type { Call, Option } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { toSeconds } from '../command-line/time-span.ts'

/** What `--always` takes with it. */
export const grantOptions = {
  scope: { value: 'SCOPE', help: `with --always: ${grantScopes.join(', ')}; run unless told` },
  uses: { value: 'N', help: 'with --always: for so many calls' },
  expires: { value: 'TIME', help: 'with --always: for so long, as 90s, 30m, 8h or 7d' },
} satisfies Record<string, Option>

/** What `--always` takes with it where a call is let through. */
export const capOption = {
  cap: { value: 'FIELD=MAX', help: 'with --always: until the values of an argument add up to more than this' },
} satisfies Record<string, Option>

const LIMITS = ['scope', 'uses', 'expires', 'cap']

/** How far the decision of a call reaches. `undefined`: it is for this call alone. */
export function alwaysOf(call: Call): GrantOptions | undefined {
  if (!call.flag('always')) {
    const stray = LIMITS.find((name) => call.text(name) !== undefined)
    if (stray !== undefined) throw new UsageError(`--${stray} says how far --always goes; give --always too`)
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
  if (scope === undefined) throw new UsageError(`--scope is one of ${grantScopes.join(', ')}, not '${text}'`)
  return scope
}

function toUses(text: string): number {
  const uses = Number(text)
  if (!Number.isSafeInteger(uses) || uses < 1) throw new UsageError('--uses is a whole number, 1 or more')
  return uses
}

function toCap(text: string): { field: string; max: number } {
  const at = text.lastIndexOf('=')
  const max = Number(text.slice(at + 1))
  if (at < 1 || text.slice(at + 1).trim() === '' || !Number.isFinite(max) || max <= 0)
    throw new UsageError(`--cap is FIELD=MAX with a number above 0, not '${text}'`)
  return { field: text.slice(0, at), max }
}
