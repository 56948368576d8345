import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { bodyHash, CHAIN_START, chainHash } from './chain.ts'

const header = { tenant: 'default', threadId: 't', seq: 1, at: 1_700_000_000_000 }
const salt = new Uint8Array(16).fill(7)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const link = (change: object = {}, previous = CHAIN_START, body = '{"v":1}', own = salt) =>
  hex(chainHash({ ...header, ...change }, previous, bodyHash(own, body)))

test('a link is the hash of header, previous link and salted body', () => {
  const body = createHash('sha256').update(salt).update('{"v":1}').digest()
  const expected = createHash('sha256')
    .update('["default","t",1,1700000000000]')
    .update(new Uint8Array(32))
    .update(body)
  expect(link()).toBe(expected.digest('hex'))
})

test('a link changes with everything that it binds', () => {
  const links = [
    link(),
    link({ tenant: 'other' }),
    link({ threadId: 'u' }),
    link({ seq: 2 }),
    link({ at: header.at + 1 }),
    link({}, new Uint8Array(32).fill(1)),
    link({}, CHAIN_START, '{"v": 1}'),
    link({}, CHAIN_START, '{"v":1}', new Uint8Array(16).fill(8)),
    // No two headers encode to the same string.
    link({ tenant: 'default"', threadId: 't' }),
    link({ tenant: 'default', threadId: '"t' }),
  ]
  expect(new Set(links).size).toBe(links.length)
  expect(CHAIN_START).toEqual(new Uint8Array(32))
})
