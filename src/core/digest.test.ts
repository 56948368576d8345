import { expect, test } from 'vitest'
import { callKey } from '../protocol/ids.ts'
import { callDigest, fingerprint, idempotencyKey } from './digest.ts'

const tool = { name: 'pay', description: 'pays', parameters: { type: 'object', properties: { n: { type: 'number' } } } }
const call = { tool: 'pay', definition: 'd', args: { a: 1, b: { c: [1, 2] } } }

test('a digest does not depend on the order of keys', () => {
  expect(callDigest({ args: { b: { c: [1, 2] }, a: 1 }, definition: 'd', tool: 'pay' })).toBe(callDigest(call))
  const { parameters, name, description } = tool
  expect(fingerprint({ parameters, description, name })).toBe(fingerprint(tool))
})

test('a digest changes with any member, and an absent member is not an empty one', () => {
  const digests = [
    call,
    { ...call, tool: 'wire' },
    { ...call, definition: 'e' },
    { ...call, args: { a: 1, b: { c: [2, 1] } } },
    { ...call, args: { a: '1', b: { c: [1, 2] } } },
    { ...call, args: { a: 1, b: { c: [1, 2], d: null } } },
    { ...call, args: {} },
    { ...call, preview: null },
    { ...call, preview: 'x' },
    { ...call, preconditions: null },
    { ...call, preconditions: 'x' },
  ].map(callDigest)
  expect(new Set(digests).size).toBe(digests.length)
  expect(digests.every((digest) => /^[0-9a-f]{64}$/.test(digest))).toBe(true)
})

test('digests are those of the first release: stored approvals depend on it', () => {
  expect(callDigest(call)).toBe('619a86e06e9e3a26d08024909a22772f9d408b282a9039480266f0e1e4add34a')
  expect(fingerprint(tool)).toBe('abc6fc484f17efd4d70319e1ce93f8af33d499836a44cd5ce95532782f99ceae')
  expect(idempotencyKey('default', callKey('r', 1, 0), 'd')).toBe(
    '35a3a154db5708e57951ae312936a90ca4096440c4521a55eaa13b9fd27e9b1a',
  )
})

test('a fingerprint changes with name, description and schema', () => {
  const prints = [
    tool,
    { ...tool, name: 'x' },
    { ...tool, description: '' },
    { ...tool, parameters: { type: 'object' } },
  ].map(fingerprint)
  expect(new Set(prints).size).toBe(4)
})

test('an idempotency key is the same for the same released call of a tenant, and for nothing else', () => {
  const key = idempotencyKey('default', callKey('r', 1, 0), 'd')
  expect(idempotencyKey('default', callKey('r', 1, 0), 'd')).toBe(key)
  const others = [
    idempotencyKey('acme', callKey('r', 1, 0), 'd'),
    idempotencyKey('default', callKey('r', 1, 1), 'd'),
    idempotencyKey('default', callKey('r', 1, 0), 'e'),
    idempotencyKey('default,r/1.0', callKey('', 1, 0), 'd'),
  ]
  expect(new Set([key, ...others]).size).toBe(5)
})
