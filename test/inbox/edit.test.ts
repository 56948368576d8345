import { describe, expect, it } from 'vitest'
import { applyEdits, toText } from '../../inbox/src/edit/edits.ts'
import { fieldsOf, valueIn } from '../../inbox/src/edit/schema-fields.ts'
import { problemsOf } from '../../inbox/src/edit/validate.ts'
import { refund } from './requests.ts'

const schema = {
  type: 'object',
  properties: {
    note: { type: 'string', maxLength: 280 },
    orderId: { const: 42 },
    to: { type: 'string', format: 'email' },
    amount: { type: 'integer', minimum: 1, maximum: 12_000 },
    reason: { enum: ['damaged', 'late'] },
    notify: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    address: { $ref: '#/$defs/address' },
    tags: { type: 'array', items: { type: 'string' } },
    extra: {},
  },
  required: ['amount', 'to'],
  $defs: { address: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } } } },
}
const args = {
  orderId: 42,
  amount: 12_000,
  to: 'ada@example.com',
  note: 'Lid cracked',
  notify: true,
  address: { city: 'Wien', zip: '1010' },
  tags: ['a', 'b'],
  extra: { deep: [1] },
}
const fields = fieldsOf(schema, args, refund().display?.fields ?? [])
const edit = (written: Record<string, string>) => applyEdits(args, fields, written)

describe('the form of an edit', () => {
  it('has a control for each kind of argument: what the tool declared first, nested ones by their path', () => {
    expect(fields.map(({ key, control }) => `${key}: ${control.kind}`)).toEqual([
      'amount: money',
      'to: text',
      'orderId: fixed',
      'note: text',
      'reason: choice',
      'notify: flag',
      'address.city: text',
      'address.zip: text',
      'tags: lines',
      'extra: json',
    ])
    expect(fields.filter(({ required }) => required).map(({ key }) => key)).toEqual(['amount', 'to'])
  })

  it('changes nothing that nobody touched, also if it is written again as it was', () => {
    const same = Object.fromEntries(fields.map(({ key, path, control }) => [key, toText(control, valueIn(args, path))]))
    expect(edit({})).toMatchObject({ args, changed: [] })
    expect(edit(same)).toMatchObject({ args, changed: [], unreadable: {} })
  })

  it.each([
    ['80.10', 8010],
    ['80,10', 8010],
    ['80', 8000],
    ['0.29', 29],
    ['1,080.5', 108_050],
    ['-3', -300],
  ])('reads the amount %s exactly, in the minor unit of the argument', (text, amount) => {
    expect(edit({ amount: text }).args).toEqual({ ...args, amount })
  })

  it.each(['8o', '', '1.234', '1.2.3', 'NaN'])('does not read %j as an amount', (text) => {
    expect(edit({ amount: text })).toMatchObject({ args, changed: ['amount'], unreadable: { amount: 'number' } })
  })

  it('writes nested values, lists and JSON back to their place, and leaves what was asked alone', () => {
    const { args: edited, changed } = edit({
      'address.city': 'Graz',
      tags: 'a\n\nc',
      extra: '{"deep":[2]}',
      notify: 'false',
    })
    expect(edited).toEqual({
      ...args,
      address: { city: 'Graz', zip: '1010' },
      tags: ['a', 'c'],
      extra: { deep: [2] },
      notify: false,
    })
    expect(changed).toEqual(['notify', 'address.city', 'tags', 'extra'])
    expect(args.address.city).toBe('Wien')
  })

  it('leaves an optional argument out if its field is emptied', () => {
    const { args: edited } = edit({ note: '' })
    expect(Object.keys(edited)).not.toContain('note')
  })

  it('says which argument breaks the schema', () => {
    const paths = (value: Record<string, string>) =>
      problemsOf([schema], edit(value).args).map(({ path, keyword }) => [path, keyword])
    expect(paths({ amount: '150.00' })).toEqual([['amount', 'maximum']])
    expect(paths({ to: 'nobody' })).toEqual([['to', 'format']])
    expect(paths({ note: 'x'.repeat(281) })).toEqual([['note', 'maxLength']])
    const { to: _, ...without } = args
    expect(problemsOf([schema], without)).toMatchObject([{ path: 'to', keyword: 'required' }])
    expect(problemsOf([schema], args)).toEqual([])
  })

  it('checks what the policy asks for, too', () => {
    expect(problemsOf([schema, { properties: { amount: { maximum: 100 } } }], args)).toMatchObject([{ path: 'amount' }])
  })

  it('leaves a schema that cannot be checked here to the server', () => {
    expect(problemsOf([{ $ref: '#/nowhere' }, undefined], args)).toEqual([])
  })

  it('edits arguments without a schema by their values', () => {
    const bare = fieldsOf(undefined, { a: 'x', n: 1, list: [1] }, [])
    expect(bare.map(({ key, control }) => `${key}: ${control.kind}`)).toEqual(['a: text', 'n: number', 'list: json'])
  })
})
