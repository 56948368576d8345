import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject, JsonValue } from '../../src/protocol/json/json.ts'
import { compileSchema } from '../../src/schema/compile.ts'

const leaf: fc.Arbitrary<z.ZodType> = fc.constantFrom<z.ZodType>(
  z.string(),
  z.string().min(1).max(5),
  z.string().regex(/^[a-c]+$/),
  z.email(),
  z.uuid(),
  z.url(),
  z.cuid2(),
  z.iso.datetime({ local: true }),
  z.iso.date(),
  z.base64(),
  z.ipv6(),
  z.number(),
  z.int().min(-5).max(5),
  z.number().multipleOf(0.01),
  z.boolean(),
  z.null(),
  z.enum(['a', 'b']),
  z.literal([1, 'x', null]),
)

const { schema } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    tie('schema').map((item) => z.array(item).max(3)),
    tie('schema').map((item) => item.nullable()),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => z.union([a, b])),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => z.tuple([a], b)),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => z.object({ a, b: b.optional() })),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => z.strictObject({ a, b: b.optional() })),
    tie('schema').map((value) => z.record(z.string().max(2), value)),
    fc
      .tuple(tie('schema'))
      .map(([a]) => z.discriminatedUnion('t', [z.object({ t: z.literal('x'), a }), z.object({ t: z.literal('y') })])),
  ),
}))

const known = fc.constantFrom<JsonValue>(
  ...[
    '',
    'a',
    'abc',
    'x',
    'ann@example.test',
    'http://ü.test/',
    '2020-02-30',
    '2020-02-28',
    '2020-02-28T10:00',
    '::1',
    'aGk=',
  ],
  ...['b3f1c1d2-7c1a-4c3e-9f5b-1a2b3c4d5e6f', 'tz4a98xxat96iws9zmbrgj3a', 0, 1, -5, 19.99, 0.07, 1.005, true, null],
)
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    known,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 't', 'constructor'), tie('value'), { maxKeys: 3 }),
  ),
})).value

test('a value that zod accepts fits the JSON Schema that zod gives, in both drafts', () => {
  let accepted = 0
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 5, maxLength: 15 }), (type, values) => {
      for (const target of ['draft-2020-12', 'draft-7'] as const) {
        const compiled = compileSchema(z.toJSONSchema(type, { target, io: 'input' }) as JsonObject)
        if (!compiled.ok) throw new Error(compiled.reason)
        for (const one of values) {
          if (!type.safeParse(one).success) continue
          accepted++
          expect([one, compiled.problems(one)]).toEqual([one, []])
        }
      }
    }),
    { numRuns: 150 },
  )
  expect(accepted).toBeGreaterThan(50)
})
