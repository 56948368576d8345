import { isWellFormed } from '../../protocol/json/json.ts'
import type { AuthOutcome } from './auth.ts'

/** The claims of a token that was verified. */
export type Claims = Readonly<Record<string, unknown>>

const MAX_LENGTH = 200
const MAX_ROLES = 100
const TENANT = /^[A-Za-z0-9._:@/+=~-]{1,200}$/

/** Who a token is for: `sub`, `tenant` (else `'default'`), and `roles` (an array, or a space-separated string) or `role`. */
export function toCaller(claims: Claims): AuthOutcome {
  const { sub, tenant = 'default', exp } = claims
  if (!isName(sub)) return refuse('sub')
  if (typeof tenant !== 'string' || !TENANT.test(tenant)) return refuse('tenant')
  const roles = rolesOf(claims)
  if (!roles) return refuse('roles')
  if (typeof exp !== 'number') return refuse('exp')
  return { ok: true, caller: { sub, tenant, roles, expiresAt: exp * 1000 } }
}

function rolesOf({ roles, role }: Claims): string[] | undefined {
  const given = roles ?? role ?? []
  const list: unknown[] = typeof given === 'string' ? given.split(' ').filter((each) => each !== '') : toList(given)
  return list.length <= MAX_ROLES && list.every(isName) ? list : undefined
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
