import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { jwtAuth } from '../../../src/gateway.ts'
import { holdpoint, tempDir } from '../support/programs.ts'

const SECRET = 'a secret of the tests that is long enough for HS256'
const check = (token: string, options: object = {}) =>
  jwtAuth({ secret: SECRET, ...options }).authenticate({ header: () => `Bearer ${token.trim()}` })

describe('holdpoint token', () => {
  it('makes a token that a gateway takes', async () => {
    const dir = tempDir()
    const args = [
      'token',
      '--sub',
      'ann',
      '--role',
      'reviewer',
      '--role',
      'operator',
      '--tenant',
      'acme',
      '--ttl',
      '8h',
    ]
    const { stdout, stderr, code } = holdpoint(dir, args, { HOLDPOINT_JWT_SECRET: SECRET })
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    const outcome = await check(stdout)
    expect(outcome).toMatchObject({ ok: true, caller: { sub: 'ann', tenant: 'acme', roles: ['reviewer', 'operator'] } })
    const left = (outcome.ok ? (outcome.caller.expiresAt ?? 0) : 0) - Date.now()
    expect(left).toBeGreaterThan(8 * 3_600_000 - 60_000)
    expect(left).toBeLessThanOrEqual(8 * 3_600_000 + 1000)
    // It is no business of a store.
    expect(readdirSync(dir)).toEqual([])
  })

  it('lasts an hour, for the default tenant, unless told otherwise', async () => {
    const { stdout } = holdpoint(tempDir(), ['token', '--sub', 'ann', '--secret', SECRET, '--json'])
    const { token, claims } = JSON.parse(stdout)
    expect(claims).toMatchObject({ sub: 'ann', tenant: 'default', roles: [], iss: 'holdpoint', aud: 'holdpoint' })
    expect(claims.exp - claims.iat).toBe(3600)
    expect((await check(token)).ok).toBe(true)
    expect((await check(token, { issuer: 'elsewhere' })).ok).toBe(false)
  })

  it('is for the issuer and audience that are given', async () => {
    const args = ['token', '--sub', 'ann', '--secret', SECRET, '--issuer', 'me', '--audience', 'you']
    const { stdout } = holdpoint(tempDir(), args)
    expect((await check(stdout, { issuer: 'me', audience: 'you' })).ok).toBe(true)
  })

  it.each([
    [['--sub', 'ann'], 'HOLDPOINT_JWT_SECRET'],
    [['--secret', SECRET], '--sub'],
    [['--sub', 'ann', '--secret', SECRET, '--ttl', 'soon'], '--ttl'],
    [['--sub', 'ann', '--secret', SECRET, '--tenant', 'a b'], '--tenant'],
  ])('is not made from %j', (args, said) => {
    const { code, stdout, stderr } = holdpoint(tempDir(), ['token', ...args], { HOLDPOINT_JWT_SECRET: undefined })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(said)
  })
})
