import { isWellFormed } from '../../protocol/json/json.ts'
import type { AuthOutcome } from './auth.ts'

/** The claims of a token that was verified. */
export type Claims = Readonly<Record<string, unknown>>

const MAX_LENGTH = 200
const MAX_NAMES = 500
const TENANT = /^[A-Za-z0-9._:@/+=~-]{1,200}$/

/** Whether a string can be the name of a tenant. */
export function isTenant(name: string): boolean {
  return TENANT.test(name)
}

/** Who a token is for: `sub`, `tenant` (else `'default'`), `roles` (an array, or a space-separated string) or `role`, and `groups`, written the same way. */
export function toCaller(claims: Claims): AuthOutcome {
  const { sub, tenant = 'default', exp } = claims
  if (!isName(sub)) return refuse('sub')
  if (typeof tenant !== 'string' || !isTenant(tenant)) return refuse('tenant')
  const roles = namesIn(claims.roles ?? claims.role ?? [])
  if (!roles) return refuse('roles')
  const groups = namesIn(claims.groups ?? [])
  if (!groups) return refuse('groups')
  if (typeof exp !== 'number') return refuse('exp')
  return { ok: true, caller: { sub, tenant, roles, groups, expiresAt: exp * 1000 } }
}

function namesIn(given: unknown): string[] | undefined {
  const list: unknown[] = typeof given === 'string' ? given.split(' ').filter((each) => each !== '') : toList(given)
  return list.length <= MAX_NAMES && list.every(isName) ? list : undefined
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH && isWellFormed(value)
}

function refuse(claim: string): AuthOutcome {
  return { ok: false, detail: `The token cannot be used: its claim "${claim}" is missing or not as it must be.` }
}
