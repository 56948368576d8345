import { createHmac } from 'node:crypto'
import type { Call, Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { toSeconds } from '../../command-line/time-span.ts'
import { safeJson } from '../../render/visible.ts'

/** Creates a token, to try a gateway out. */
export const token: Command = {
  name: 'token',
  summary: 'create a bearer token for a gateway, for development',
  usage: '--sub NAME [--role ROLE …] [--group NAME …] [--tenant ID] [--ttl TIME] [--secret TEXT]',
  options: {
    sub: { value: 'NAME', help: 'the user whose sessions it gives access to' },
    role: {
      value: 'ROLE',
      multiple: true,
      help: 'reviewer, operator, admin, auditor (reads, decides nothing) or agent (may not answer)',
    },
    group: { value: 'NAME', multiple: true, help: 'a group of the user; policies name groups as reviewers' },
    tenant: { value: 'ID', help: 'the tenant of the user (default: default)' },
    ttl: { value: 'TIME', help: 'how long it is valid, such as 90s, 30m, 8h or 7d (default: 1h)' },
    issuer: { value: 'TEXT', help: 'the issuer that the gateway expects (default: holdpoint)' },
    audience: { value: 'TEXT', help: 'the audience that the gateway expects (default: holdpoint)' },
    secret: {
      value: 'TEXT',
      help: 'the secret of the gateway; safer in HOLDPOINT_JWT_SECRET, where other users cannot see it',
    },
  },
  storeless: true,
  positionals: { min: 0, max: 0 },
  examples: ['token --sub ann', 'token --sub boss --role admin --tenant acme --ttl 8h'],
  async run(call) {
    const claims = claimsOf(call)
    const secret = call.text('secret') ?? call.context.settings.jwtSecret
    if (!secret)
      throw new UsageError('token needs the secret of the gateway: set HOLDPOINT_JWT_SECRET, or give --secret')
    const made = sign(claims, secret)
    const expiresAt = new Date(claims.exp * 1000).toISOString()
    call.context.out(call.flag('json') ? safeJson({ token: made, expiresAt, claims }) : made)
    return 0
  },
}

interface Claims {
  sub: string
  tenant: string
  roles: readonly string[]
  groups?: readonly string[]
  iss: string
  aud: string
  iat: number
  exp: number
}

function claimsOf(call: Call): Claims {
  const sub = call.text('sub')
  if (!sub) throw new UsageError('token needs --sub NAME: who it is for')
  const tenant = call.text('tenant') ?? 'default'
  if (!/^[A-Za-z0-9._:@/+=~-]{1,200}$/.test(tenant))
    throw new UsageError('--tenant must be 1 to 200 characters of A-Z a-z 0-9 . _ : @ / + = ~ -')
  const iat = Math.floor(call.context.now() / 1000)
  const exp = iat + Math.ceil(toSeconds('ttl', call.text('ttl') ?? '1h'))
  const iss = call.text('issuer') ?? 'holdpoint'
  const aud = call.text('audience') ?? 'holdpoint'
  const groups = call.texts('group')
  return { sub, tenant, roles: call.texts('role'), ...(groups.length > 0 ? { groups } : {}), iss, aud, iat, exp }
}

/** HS256, so that the command needs no more than Node. */
function sign(claims: Claims, secret: string): string {
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => base64(JSON.stringify(part))).join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url')
}
