import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWTHeaderParameters, SignJWT } from 'jose'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Auth, type JwtAuthOptions, jwtAuth } from '../../src/gateway.ts'
import { warningsDuring } from '../support/warnings.ts'

const SECRET = 'a secret of the tests that is long enough for HS256'
const KEY = new TextEncoder().encode(SECRET)
const usual = { issuer: 'tests', audience: 'gateway' }
const now = () => Math.floor(Date.now() / 1000)

function sign(
  key: Uint8Array | KeyObject,
  alg: string,
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
) {
  const payload = { sub: 'ann', iss: 'tests', aud: 'gateway', exp: now() + 600, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg, ...header }).sign(key)
}

const check = (auth: Auth, token: string) => auth.authenticate({ header: () => `Bearer ${token}` })
const accepted = async (auth: Auth, token: string) => (await check(auth, token)).ok

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a token with a secret', () => {
  const auth = jwtAuth({ secret: SECRET, ...usual })

  it('tells who calls', async () => {
    const exp = now() + 600
    expect(await check(auth, await sign(KEY, 'HS256', { exp }))).toEqual({
      ok: true,
      caller: { sub: 'ann', tenant: 'default', roles: [], groups: [], expiresAt: exp * 1000 },
    })
  })

  it.each([
    [{ roles: ['a', 'b'] }, ['a', 'b']],
    [{ roles: 'a b' }, ['a', 'b']],
    [{ role: 'a' }, ['a']],
    [{ role: ['a'] }, ['a']],
  ])('tells roles: %j', async (claims, roles) => {
    const outcome = await check(auth, await sign(KEY, 'HS256', { ...claims, tenant: 'acme' }))
    expect(outcome).toMatchObject({ ok: true, caller: { tenant: 'acme', roles } })
  })

  it.each([
    [{ groups: ['finance', 'night shift'] }, ['finance', 'night shift']],
    [{ groups: 'finance legal' }, ['finance', 'legal']],
    [{}, []],
  ])('tells groups: %j', async (claims, groups) => {
    expect(await check(auth, await sign(KEY, 'HS256', claims))).toMatchObject({ ok: true, caller: { groups } })
  })

  it.each<[string, Record<string, unknown>]>([
    ['has expired', { exp: now() - 60 }],
    ['has no end', { exp: undefined }],
    ['is not valid yet', { nbf: now() + 60 }],
    ['is of another issuer', { iss: 'elsewhere' }],
    ['is of no issuer', { iss: undefined }],
    ['is for another audience', { aud: 'elsewhere' }],
    ['is for nobody', { aud: undefined }],
    ['names nobody', { sub: undefined }],
    ['names an empty subject', { sub: '' }],
    ['has a tenant that is no name', { tenant: 'a b' }],
    ['has a tenant that is no text', { tenant: 5 }],
    ['has roles that are none', { roles: [1] }],
    ['has an empty role', { roles: [''] }],
    ['has a role that is an object', { role: { admin: true } }],
    ['has groups that are none', { groups: [1] }],
    ['has an empty group', { groups: [''] }],
    ['has a group that is an object', { groups: { finance: true } }],
    ['has too many groups', { groups: Array.from({ length: 501 }, (_, index) => `g${index}`) }],
  ])('that %s is refused', async (_, claims) => {
    const outcome = await check(auth, await sign(KEY, 'HS256', claims))
    expect(outcome).toEqual({ ok: false, detail: expect.any(String) })
  })

  it('may be off by the tolerance', async () => {
    const strict = jwtAuth({ secret: SECRET, ...usual, clockToleranceSeconds: 0 })
    const token = await sign(KEY, 'HS256', { exp: now() - 2 })
    expect(await accepted(auth, token)).toBe(true)
    expect(await accepted(strict, token)).toBe(false)
  })

  it('by another secret, unsigned, changed or cut off is refused', async () => {
    const good = await sign(KEY, 'HS256')
    const [header, payload, signature] = good.split('.') as [string, string, string]
    const admin = base64({ sub: 'ann', iss: 'tests', aud: 'gateway', exp: now() + 600, roles: ['admin'] })
    const bad = [
      await sign(new TextEncoder().encode('another secret of thirty-two bytes or more'), 'HS256'),
      `${base64({ alg: 'none' })}.${payload}.`,
      `${base64({ alg: 'None', typ: 'JWT' })}.${payload}.${signature}`,
      `${header}.${admin}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      good.slice(0, -4),
      `${good}.${signature}`,
      `${base64({ alg: 'HS256', crit: ['x'], x: 1 })}.${payload}.${signature}`,
      'x',
      '...',
    ]
    for (const token of bad) expect(await accepted(auth, token), token).toBe(false)
    expect(await accepted(auth, good)).toBe(true)
  })

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'Bearer ä', 'Token abc'])(
    'must come as a bearer token: %j',
    async (header) => {
      expect(await auth.authenticate({ header: () => header })).toEqual({ ok: false, detail: expect.any(String) })
    },
  )

  it('is understood whatever the case of the scheme', async () => {
    const token = await sign(KEY, 'HS256')
    expect((await auth.authenticate({ header: () => `bearer ${token}` })).ok).toBe(true)
  })
})

describe('a token with a public key', () => {
  it.each<[string, ReturnType<typeof generateKeyPairSync>, string]>([
    ['RSA', rsa as never, 'RS256'],
    ['RSA with PSS', rsa as never, 'PS256'],
    ['EC', ec as never, 'ES256'],
    ['Ed25519', ed as never, 'EdDSA'],
  ])('of %s is accepted as PEM, JWK and key object', async (_, keys, alg) => {
    const { publicKey, privateKey } = keys as unknown as { publicKey: KeyObject; privateKey: KeyObject }
    const token = await sign(privateKey, alg)
    for (const key of [pem(publicKey), publicKey.export({ format: 'jwk' }) as JsonWebKey, publicKey]) {
      expect(await accepted(jwtAuth({ publicKey: key, ...usual }), token)).toBe(true)
    }
  })

  it('cannot be made with the public key as a secret', async () => {
    const auth = jwtAuth({ publicKey: pem(rsa.publicKey), ...usual })
    for (const secret of [
      pem(rsa.publicKey),
      pem(rsa.publicKey).trim(),
      JSON.stringify(rsa.publicKey.export({ format: 'jwk' })),
    ]) {
      for (const alg of ['HS256', 'HS384', 'HS512'])
        expect(await accepted(auth, await sign(new TextEncoder().encode(secret), alg))).toBe(false)
    }
  })

  it('of another key or kind is refused', async () => {
    const auth = jwtAuth({ publicKey: rsa.publicKey, ...usual })
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
    expect(await accepted(auth, await sign(other.privateKey, 'RS256'))).toBe(false)
    expect(await accepted(auth, await sign(ec.privateKey, 'ES256'))).toBe(false)
    const jwk = other.publicKey.export({ format: 'jwk' })
    // A key that a token brings along proves nothing.
    expect(await accepted(auth, await sign(other.privateKey, 'RS256', {}, { jwk: jwk as never }))).toBe(false)
  })

  it('can be held to fewer algorithms', async () => {
    const auth = jwtAuth({ publicKey: rsa.publicKey, ...usual, algorithms: ['PS256'] })
    expect(await accepted(auth, await sign(rsa.privateKey, 'PS256'))).toBe(true)
    expect(await accepted(auth, await sign(rsa.privateKey, 'RS256'))).toBe(false)
  })
})

describe('a token with published keys', () => {
  afterEach(() => vi.useRealTimers())

  /** An identity provider that publishes some keys. */
  async function provider(keys: { kid: string; key: KeyObject }[]) {
    const published = { keys, fetches: 0, status: 200 }
    const server = createServer((_, response) => {
      published.fetches++
      response.statusCode = published.status
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ keys: published.keys.map(({ kid, key }) => ({ kid, ...key.export({ format: 'jwk' }) })) }),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return { published, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json` }
  }

  it('is checked with the key that it names, fetched once', async () => {
    const { published, url } = await provider([
      { kid: 'one', key: rsa.publicKey },
      { kid: 'two', key: ec.publicKey },
    ])
    const auth = jwtAuth({ jwksUrl: url, ...usual })
    expect(await accepted(auth, await sign(rsa.privateKey, 'RS256', {}, { kid: 'one' }))).toBe(true)
    expect(await accepted(auth, await sign(ec.privateKey, 'ES256', {}, { kid: 'two' }))).toBe(true)
    expect(await accepted(auth, await sign(ec.privateKey, 'ES256'))).toBe(true)
    expect(await accepted(auth, await sign(ec.privateKey, 'ES256', {}, { kid: 'one' }))).toBe(false)
    expect(published.fetches).toBe(1)
  })

  it('without a key id may be of any of several keys', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { url } = await provider([
      { kid: 'one', key: other.publicKey },
      { kid: 'two', key: ec.publicKey },
    ])
    const auth = jwtAuth({ jwksUrl: url, ...usual })
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    expect(await accepted(auth, await sign(ec.privateKey, 'ES256'))).toBe(true)
    expect(await accepted(auth, await sign(stranger.privateKey, 'ES256'))).toBe(false)
  })

  it('cannot name a key that is not there, and cannot make the provider be asked all the time', async () => {
    const { published, url } = await provider([{ kid: 'one', key: rsa.publicKey }])
    const auth = jwtAuth({ jwksUrl: url, ...usual })
    expect(await accepted(auth, await sign(rsa.privateKey, 'RS256', {}, { kid: 'one' }))).toBe(true)
    const kids = ['../../etc/passwd', "' OR 1=1", 'http://127.0.0.1/evil', '__proto__', '\u0000']
    for (const kid of kids) expect(await accepted(auth, await sign(rsa.privateKey, 'RS256', {}, { kid }))).toBe(false)
    const jku = await sign(rsa.privateKey, 'RS256', {}, { kid: 'two', jku: 'http://127.0.0.1:1/keys' })
    expect(await accepted(auth, jku)).toBe(false)
    expect(published.fetches).toBe(1)
  })

  it('is forgotten when the keys change', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { published, url } = await provider([{ kid: 'one', key: rsa.publicKey }])
    const auth = jwtAuth({ jwksUrl: url, ...usual })
    const token = await sign(rsa.privateKey, 'RS256', { exp: now() + 86_400 }, { kid: 'one' })
    expect(await accepted(auth, token)).toBe(true)
    published.keys = [{ kid: 'two', key: ec.publicKey }]
    expect(await accepted(auth, token)).toBe(true)
    // Known keys are relied on for ten minutes.
    vi.setSystemTime(Date.now() + 11 * 60_000)
    expect(await accepted(auth, token)).toBe(false)
    expect(await accepted(auth, await sign(ec.privateKey, 'ES256', {}, { kid: 'two' }))).toBe(true)
  })

  it('is forgotten at once when a new key shows that they changed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { published, url } = await provider([{ kid: 'one', key: rsa.publicKey }])
    const auth = jwtAuth({ jwksUrl: url, ...usual })
    const old = await sign(rsa.privateKey, 'RS256', { exp: now() + 86_400 }, { kid: 'one' })
    expect(await accepted(auth, old)).toBe(true)
    published.keys = [{ kid: 'two', key: ec.publicKey }]
    vi.setSystemTime(Date.now() + 60_000)
    expect(await accepted(auth, await sign(ec.privateKey, 'ES256', {}, { kid: 'two' }))).toBe(true)
    expect(await accepted(auth, old)).toBe(false)
  })

  it('is not called invalid when the provider is away', async () => {
    const { published, url } = await provider([])
    published.status = 500
    const auth = jwtAuth({ jwksUrl: url, ...usual })
    await expect(check(auth, await sign(rsa.privateKey, 'RS256', {}, { kid: 'one' }))).rejects.toThrow()
    const nobody = jwtAuth({ jwksUrl: 'http://127.0.0.1:1/keys', ...usual })
    await expect(check(nobody, await sign(rsa.privateKey, 'RS256', {}, { kid: 'one' }))).rejects.toThrow()
  })
})

describe('tokens that were verified', () => {
  afterEach(() => vi.useRealTimers())

  it('are known until they end, and not longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const auth = jwtAuth({ secret: SECRET, ...usual })
    const token = await sign(KEY, 'HS256', { exp: now() + 60 })
    expect(await accepted(auth, token)).toBe(true)
    vi.setSystemTime(Date.now() + 70_000)
    expect(await accepted(auth, token)).toBe(false)
  })

  it('are known without checking the signature again, up to a limit', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const auth = jwtAuth({ secret: SECRET, ...usual, cacheSize: 2 })
    const tokens = await Promise.all(['a', 'b', 'c'].map((sub) => sign(KEY, 'HS256', { sub })))
    for (const token of [...tokens, tokens[2]!, tokens[1]!]) expect(await accepted(auth, token)).toBe(true)
    expect(verify).toHaveBeenCalledTimes(3)
    expect(await accepted(auth, tokens[0]!)).toBe(true)
    expect(verify).toHaveBeenCalledTimes(4)
  })
})

describe('jwtAuth', () => {
  it.each<[string, JwtAuthOptions]>([
    ['no key', {}],
    ['two keys', { secret: SECRET, publicKey: pem(rsa.publicKey) }],
    ['an empty secret', { secret: '' }],
    ['a key that is none', { publicKey: 'hello' }],
    ['a private key object', { publicKey: rsa.privateKey }],
    ['a short RSA key', { publicKey: generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey }],
    ['an X25519 key', { publicKey: generateKeyPairSync('x25519').publicKey }],
    ['an odd curve', { publicKey: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey }],
    ['an address that is none', { jwksUrl: 'keys' }],
    ['keys over plain http', { jwksUrl: 'http://idp.example.com/keys' }],
    ['a file', { jwksUrl: 'file:///etc/keys' }],
    ['HS256 with a public key', { publicKey: pem(rsa.publicKey), algorithms: ['HS256'] }],
    ['none', { secret: SECRET, algorithms: ['none'] }],
    ['no algorithm', { secret: SECRET, algorithms: [] }],
    ['an empty issuer', { secret: SECRET, issuer: '' }],
    ['no audience', { secret: SECRET, audience: [] }],
    ['a tolerance of a day', { secret: SECRET, clockToleranceSeconds: 86_400 }],
    ['an unknown option', { secret: SECRET, ignoreExpiry: true } as never],
  ])('refuses %s when it is made', (_, options) => {
    expect(() => jwtAuth(options)).toThrow(expect.objectContaining({ code: 'input_invalid' }))
  })

  it('warns of a short secret', async () => {
    const warnings = await warningsDuring(() => jwtAuth({ secret: 'short' }))
    expect(warnings).toMatchObject([{ code: 'holdpoint_short_secret' }])
  })

  it('takes what holdpoint token writes unless told otherwise', async () => {
    const token = await sign(KEY, 'HS256', { iss: 'holdpoint', aud: 'holdpoint' })
    expect(await accepted(jwtAuth({ secret: SECRET }), token)).toBe(true)
  })
})
