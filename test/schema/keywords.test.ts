import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/protocol/json/json.ts'
import { compileSchema } from '../../src/schema/compile.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

/** A schema, what fits it, and what does not. */
type Row = [schema: JsonObject, fits: JsonValue[], misfits: JsonValue[]]

const both: Row[] = [
  [{}, [null, 1, 'a', [], {}], []],
  [{ type: 'string' }, ['', 'a'], [1, null, [], {}]],
  [{ type: 'integer' }, [1, 1.0, -3], [1.5, '1', null]],
  [{ type: 'number' }, [1, 1.5], ['1']],
  [{ type: 'boolean' }, [true, false], [0, 'true', null]],
  [{ type: 'null' }, [null], [0, '', false]],
  [{ type: 'array' }, [[], [1]], [{}, 'a']],
  [{ type: 'object' }, [{}], [[], null]],
  [{ type: ['string', 'null'] }, ['a', null], [1]],
  [{ enum: [1, 'a', { b: [2] }] }, [1, 'a', { b: [2] }], [2, { b: [3] }, null]],
  [{ const: { a: 1 } }, [{ a: 1 }], [{ a: 2 }, {}]],
  [{ const: 0 }, [0], [false, '']],
  // Without a type: other values are not concerned.
  [{ maximum: 5 }, [5, 4.9, 'six'], [5.1, 6]],
  [{ minimum: 5 }, [5, null], [4]],
  [{ exclusiveMaximum: 5 }, [4.99], [5]],
  [{ exclusiveMinimum: 5 }, [5.01], [5]],
  [{ multipleOf: 0.01 }, [19.99, 123456789.01, 0, -0.07], [19.995, 0.001]],
  [{ multipleOf: 1e-8 }, [12391239123, 1e-8], [1e-9]],
  [{ maxLength: 2 }, ['ab', '😀😀', 123], ['abc']],
  [{ minLength: 2 }, ['ab'], ['a', '😀']],
  [{ pattern: 'b+' }, ['abba', 7], ['a']],
  [{ pattern: '^\\d{3}$' }, ['123'], ['1234', '٣٣٣']],
  [{ pattern: '^\\S+$' }, ['abc'], ['a b', 'a\u00a0b', 'a\u2028b']],
  [{ pattern: '^.$' }, ['a', '😀'], ['\n', '\r', '\u2028', 'ab']],
  [{ pattern: '^\\u0041[^]\\cJ\\/$' }, ['Ax\n/'], ['Ax/']],
  [{ pattern: '^(?!admin)[a-z]+$' }, ['bob'], ['admins']],
  [{ pattern: '^(.)\\1$' }, ['aa'], ['ab']],
  [{ pattern: '^[\\w-.]+$' }, ['a-b.c'], ['a b']],
  [{ maxItems: 1 }, [[1], {}], [[1, 2]]],
  [{ minItems: 1 }, [[1]], [[]]],
  [
    { uniqueItems: true },
    [[1, '1', [1], { a: 1 }]],
    [
      [1, 1.0],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[1], [1]],
    ],
  ],
  [{ uniqueItems: false }, [[1, 1]], []],
  [{ items: { type: 'string' } }, [['a'], []], [['a', 1]]],
  [{ contains: { type: 'string' } }, [[1, 'a']], [[1], []]],
  [{ maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 2 }]],
  [{ minProperties: 1 }, [{ a: 1 }], [{}]],
  [{ required: ['a'] }, [{ a: null }, 'no object'], [{}, { b: 1 }]],
  [{ required: ['toString', 'constructor'] }, [{ toString: 1, constructor: 1 }], [{}]],
  [{ properties: { a: { type: 'string' } } }, [{ a: 'x' }, { b: 1 }], [{ a: 1 }]],
  [{ properties: { a: false } }, [{}], [{ a: 1 }]],
  [{ properties: { nullable: true }, additionalProperties: false }, [{ nullable: 1 }], [{ id: 1 }]],
  [{ patternProperties: { '^x-': { type: 'number' } } }, [{ 'x-a': 1, b: 'b' }], [{ 'x-a': 'b' }]],
  [{ patternProperties: { '^x-': {}, '^y-': { type: 'null' } } }, [{ 'x-': 1 }], [{ 'y-': 1 }]],
  [
    { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: false },
    [{ a: 1, x: 1 }],
    [{ b: 1 }],
  ],
  [{ additionalProperties: { type: 'string' } }, [{ a: 'x' }], [{ a: 1 }]],
  [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
  [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, ['a', 3], [2]],
  [{ oneOf: [{ multipleOf: 3 }, { multipleOf: 5 }] }, [3, 5], [15, 1]],
  [{ not: { type: 'string' } }, [1], ['a']],
  [JSON.parse('{ "if": { "minimum": 10 }, "then": { "multipleOf": 10 }, "else": { "maximum": 5 } }'), [20, 5], [15, 7]],
  [JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }'), [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  [{ $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, ['a'], [1]],
  [{ $ref: '#/elsewhere/a', elsewhere: { a: { type: 'string' } } }, ['a'], [1]],
  [
    { properties: { child: { $ref: '#' } }, additionalProperties: false },
    [{ child: { child: {} } }],
    [{ child: { b: 1 } }],
  ],
  [
    {
      properties: { a: { $ref: 'other' } },
      definitions: { o: { $id: 'http://x.test/other', maximum: 1 } },
      $id: 'http://x.test/root',
    },
    [{ a: 1 }],
    [{ a: 2 }],
  ],
  // Annotations.
  [{ format: 'cuid2' }, ['anything'], []],
  [{ format: 'email' }, ['no address'], []],
  [{ 'x-unknown': { type: 'strng' }, title: 'a', default: 5, examples: [1], readOnly: true }, ['a'], []],
  [{ contentEncoding: 'base64', contentMediaType: 'application/json' }, ['{'], []],
  [{ type: 'string', nullable: true }, ['a'], [null]],
  [{ $async: true, type: 'string' }, ['a'], [1]],
  [{ id: 'no-id', type: 'string' }, ['a'], [1]],
]

const only7: Row[] = [
  [{ items: [{ type: 'string' }, { type: 'number' }] }, [['a', 1, null], ['a']], [[1]]],
  [{ items: [{ type: 'string' }], additionalItems: false }, [['a']], [['a', 1]]],
  [
    { dependencies: { a: ['b'], c: { required: ['d'] } } },
    [
      { a: 1, b: 1 },
      { c: 1, d: 1 },
    ],
    [{ a: 1 }, { c: 1 }],
  ],
  [{ $ref: '#/definitions/a', maximum: 1, definitions: { a: { type: 'number' } } }, [5], ['a']],
  [{ dependentRequired: { a: ['b'] }, prefixItems: [false] }, [{ a: 1 }, [1]], []],
  [{ allOf: [{ $id: '#here', maximum: 1 }, { properties: { a: { $ref: '#here' } } }] }, [{ a: 1 }], [{ a: 2 }]],
]

const only2020: Row[] = [
  [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [['a', 1], ['a']], [[1], ['a', 'b']]],
  [{ prefixItems: [{}], items: false }, [[1]], [[1, 2]]],
  [{ contains: { type: 'string' }, minContains: 2, maxContains: 3 }, [['a', 'b']], [['a'], ['a', 'b', 'c', 'd']]],
  [{ contains: { type: 'string' }, minContains: 0 }, [[]], []],
  [{ dependentRequired: { card: ['address'] } }, [{ card: 1, address: 1 }, {}], [{ card: 1 }]],
  [{ dependentSchemas: { card: { required: ['address'] } } }, [{}, { card: 1, address: 1 }], [{ card: 1 }]],
  [{ $ref: '#/$defs/a', maximum: 1, $defs: { a: { type: 'number' } } }, [1], [5, 'a']],
  [{ properties: { a: { $ref: '#here' } }, $defs: { b: { $anchor: 'here', maximum: 1 } } }, [{ a: 1 }], [{ a: 2 }]],
  [
    { allOf: [{ properties: { a: {} } }], properties: { b: {} }, unevaluatedProperties: false },
    [{ a: 1, b: 1 }],
    [{ c: 1 }],
  ],
  [{ prefixItems: [{}], unevaluatedItems: { type: 'string' } }, [[1, 'a']], [[1, 1]]],
  [
    { $defs: { t: { type: 'object', additionalProperties: { $ref: '#/$defs/t' } } }, $ref: '#/$defs/t' },
    [{ a: { b: {} } }],
    [{ a: 1 }],
  ],
]

const table = [
  ...both.map((row) => [undefined, ...row] as const),
  ...both.map((row) => [DRAFT_7, ...row] as const),
  ...only7.map((row) => [DRAFT_7, ...row] as const),
  ...only2020.map((row) => [DRAFT_2020, ...row] as const),
]

test.each(table)('%s: %j is enforced', ($schema, schema, fits, misfits) => {
  const compiled = compileSchema($schema === undefined ? schema : { $schema, ...schema })
  if (!compiled.ok) throw new Error(compiled.reason)
  for (const value of fits) expect([value, compiled.problems(value)]).toEqual([value, []])
  for (const value of misfits) expect([value, compiled.problems(value)]).not.toEqual([value, []])
})

test.each<[JsonObject, string]>([
  [{ type: 'strng' }, 'type: must be equal to one of the allowed values'],
  [{ properties: { a: { type: 'strng' } } }, 'properties.a.type'],
  [{ maximum: '5' }, 'maximum: must be number'],
  [{ required: 'a' }, 'required: must be array'],
  [{ required: ['a', 'a'] }, 'required'],
  [{ minLength: -1 }, 'minLength: must be >= 0'],
  [{ enum: [] }, 'enum'],
  [{ pattern: '(' }, 'Invalid regular expression'],
  [{ patternProperties: { '[': {} } }, 'Invalid regular expression'],
  [{ items: [{ type: 'string' }] }, 'draft 7 must be named by $schema'],
  [{ $ref: '#/$defs/none' }, "can't resolve reference #/$defs/none"],
  [{ $ref: 'http://127.0.0.1:9/schema.json' }, "can't resolve reference http://127.0.0.1:9/schema.json"],
  [{ properties: { a: { $ref: 'file:///etc/passwd' } } }, "can't resolve reference file:///etc/passwd"],
  [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 'cannot be followed'],
  [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'draft 7 and draft 2020-12 can be checked'],
  [{ $schema: 'https://example.test/my-dialect' }, 'draft 7 and draft 2020-12 can be checked'],
  [{ $defs: { a: { $schema: DRAFT_7 } } }, 'mixes drafts'],
  [{ $dynamicRef: '#a', $dynamicAnchor: 'a' }, '$dynamicRef cannot be enforced'],
  [{ contains: {}, unevaluatedItems: false }, 'unevaluatedItems together with contains'],
  [{ if: {}, unevaluatedProperties: false }, 'unevaluatedProperties together with if'],
  [{ properties: JSON.parse('{ "__proto__": { "type": "string" } }') }, '__proto__'],
  [{ description: 'x'.repeat(300_000) }, 'more than 262144 characters'],
])('%j cannot be enforced, so it is refused: %s', (schema, reason) => {
  const compiled = compileSchema(schema)
  expect(compiled).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
})

test('problems name their place and rule, in a few short lines', () => {
  const compiled = compileSchema({
    type: 'object',
    properties: {
      to: { type: 'object', properties: { 'a/b': { maximum: 5 } } },
      list: { items: { type: 'string' } },
      sum: {},
      kind: { enum: ['x'.repeat(1000)] },
    },
    required: ['sum'],
    additionalProperties: false,
  })
  if (!compiled.ok) throw new Error(compiled.reason)
  expect(compiled.problems({ to: { 'a/b': 6 }, sums: 1 })).toEqual([
    "must have required property 'sum'",
    'must NOT have additional properties: sums',
    'to.a/b: must be <= 5',
  ])
  const many = compiled.problems({ sum: 1, list: Array.from({ length: 100 }, () => 0), kind: 'y' })
  expect(many).toHaveLength(11)
  expect(many.at(-1)).toBe('and 91 more')
  expect(compiled.problems({ sum: 1, kind: 'y' })[0]).toHaveLength(300)
})

test('schemas know nothing of each other, whatever ids they have', () => {
  expect(compileSchema({ $id: 'http://x.test/a', maximum: 1 }).ok).toBe(true)
  expect(compileSchema({ $id: 'http://x.test/a', maximum: 2 }).ok).toBe(true)
  expect(compileSchema({ $ref: 'http://x.test/a' }).ok).toBe(false)
})
