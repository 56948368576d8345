import { expect, test } from 'vitest'
import { readStateText, writeStateText } from './state-text.ts'

const bodies = [
  { at: 1, body: '{"v":1,"type":"input.added","run":"r","input":[{"role":"user","content":"ünï \\" 😀"}]}' },
  { at: 2, body: '{"v":1,"type":"call.started","call":"r/1.0","attempt":1,"later":{"kept":[1.5,null]}}' },
]
const thread = { tenant: 'default', threadId: 'a/b', entries: bodies }
const key = { id: 'k1', secret: 's1' }
const other = { id: 'k2', secret: 's2' }

const code = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return (error as { code?: string }).code
  }
  return 'accepted'
}
const changed = (
  text: string,
  change: (value: Record<string, unknown> & { entries: [number, Record<string, unknown>][] }) => void,
) => {
  const value = JSON.parse(text) as never
  change(value)
  return JSON.stringify(value)
}

test('a thread reads back as it was written, members that this release does not know included', () => {
  const read = readStateText(writeStateText(thread))
  expect(read).toMatchObject({ tenant: 'default', threadId: 'a/b' })
  expect(read.entries.map(({ at, body }) => ({ at, body }))).toEqual(bodies)
  expect(writeStateText(read)).toBe(writeStateText(thread))
})

test('a text is accepted in any layout and order of keys, signed or not', () => {
  for (const keys of [undefined, [key]]) {
    const text = writeStateText(thread, keys)
    const value = JSON.parse(text) as Record<string, unknown>
    const reordered = Object.fromEntries(Object.entries(value).reverse())
    for (const form of [JSON.stringify(value, null, 4), JSON.stringify(reordered), `\r\n${text}\t`])
      expect(readStateText(form, keys).entries.map(({ entry }) => entry)).toEqual(
        bodies.map(({ body }) => JSON.parse(body)),
      )
  }
})

test('with keys only a text that one of them signed is accepted, and unchanged at that', () => {
  const signed = writeStateText(thread, [key])
  expect(code(() => readStateText(signed, [key]))).toBe('accepted')
  expect(code(() => readStateText(signed, [other, key]))).toBe('accepted')
  expect(code(() => readStateText(signed))).toBe('accepted')
  for (const [text, keys] of [
    [writeStateText(thread), [key]],
    [signed, [other]],
    [signed, [{ id: 'k1', secret: 's2' }]],
    [writeStateText(thread, [other]), [key]],
    [changed(signed, (value) => (value.entries[0]![0] = 2)), [key]],
    [changed(signed, (value) => value.entries.reverse()), [key]],
    [changed(signed, (value) => (value.v = 2)), [key]],
    [changed(signed, (value) => (value.tenant = 'acme')), [key]],
    [changed(signed, (value) => delete value.entries[1]![1].later), [key]],
    ['null', [key]],
    ['[]', [key]],
    [JSON.stringify({ signature: { key: 'k1', mac: '' } }), [key]],
    ['{"signature": {"key": "k1", "mac": "00"}, "x": "\\ud800"}', [key]],
  ] as const)
    expect([text.slice(0, 60), code(() => readStateText(text, keys))]).toEqual([
      text.slice(0, 60),
      'state_signature_invalid',
    ])
})

test('keys that were left empty are a mistake, not a way around signatures', () => {
  for (const keys of [
    [],
    [{ id: '', secret: 'x' }],
    [{ id: 'x', secret: '' }],
    [key, { id: 'y' } as never],
    [undefined as never],
  ]) {
    expect(code(() => writeStateText(thread, keys))).toBe('input_invalid')
    expect(code(() => readStateText(writeStateText(thread), keys))).toBe('input_invalid')
  }
})

test('what is not a state is refused with a reason, and never with an error of the runtime', () => {
  const text = writeStateText(thread)
  const cases: [string, string][] = [
    ['', 'state_invalid'],
    ['{', 'state_invalid'],
    ['"x"', 'state_invalid'],
    ['{"kind":"holdpoint.state"}', 'state_invalid'],
    [changed(text, (value) => (value.v = 2)), 'state_invalid'],
    [changed(text, (value) => (value.kind = 'x')), 'state_invalid'],
    [changed(text, (value) => (value.tenant = '')), 'state_invalid'],
    [changed(text, (value) => (value.entries = {} as never)), 'state_invalid'],
    [changed(text, (value) => (value.entries[0]! as unknown[]).push(1)), 'state_invalid'],
    [changed(text, (value) => (value.entries[0]![0] = -1)), 'state_invalid'],
    [changed(text, (value) => (value.entries[0]![0] = 1e16)), 'state_invalid'],
    [changed(text, (value) => (value.entries[0]![0] = '1' as never)), 'state_invalid'],
    [changed(text, (value) => (value.entries[1]![1].attempt = '1')), 'state_invalid'],
    [changed(text, (value) => delete value.entries[1]![1].call), 'state_invalid'],
    [text.replace('"later":', `"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},"later":`), 'state_invalid'],
    [changed(text, (value) => (value.threadId = 'a b')), 'thread_id_invalid'],
    [changed(text, (value) => (value.entries[1]![1].type = 'x')), 'state_invalid'],
    [changed(text, (value) => (value.entries[1]![1].v = 2)), 'state_invalid'],
    [changed(text, (value) => (value.entries[1]![1] = null as never)), 'state_invalid'],
  ]
  for (const [value, expected] of cases)
    expect([value.slice(-120), code(() => readStateText(value))]).toEqual([value.slice(-120), expected])
})
