// @ts-check
import { createHash, randomBytes } from 'node:crypto'

/** Writes the sign-in of a reviewer as the gateway would, and returns the value of its cookie. @param {import('../../../dist/index.js').Store} store @param {string} sub */
export async function signIn(store, sub) {
  const key = `${hashOf(sub).slice(0, 32)}-`
  const secret = randomBytes(32).toString('base64url')
  const now = Date.now()
  const value = JSON.stringify({ v: 1, sub, roles: ['reviewer'], groups: [], createdAt: now, endsAt: now + 3_600_000 })
  await store.writeRecords([{ op: 'put', kind: 'session', id: `${key}${hashOf(secret)}`, value, ttlMs: 3_600_000 }])
  return `${Buffer.from('default').toString('base64url')}.${key}${secret}`
}

/** @param {string} text */
function hashOf(text) {
  return createHash('sha256').update(text).digest('hex')
}
