import assert from 'node:assert/strict'
import fc from 'fast-check'

/** Characters that a reading in pieces could stumble over, and any others, halves of pairs among them. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u001e', ' ', '0', '-', '\n', '\u0000', '\ufeff', '\ud800', '\udc00', '😀', 'é', '\uffff'),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 12 },
  )
  .map((units) => units.join(''))

/** Around the length from which on bodies are handed over one by one, which is in bytes. */
const long = fc
  .tuple(fc.constantFrom('x', 'é', '☃', '😀'), fc.integer({ min: 65_530, max: 65_540 }))
  .map(([unit, bytes]) => {
    const units = unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))
    return units + 'x'.repeat(bytes - Buffer.byteLength(units))
  })

const body = fc.oneof(
  { weight: 60, arbitrary: fc.json() },
  { weight: 30, arbitrary: text },
  { weight: 9, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: long },
)

/** Around the pieces that a thread is read in. */
const length = fc.constantFrom(1, 2, 63, 64, 65, 127, 128, 129)

const after = fc.oneof(
  fc.integer({ min: -3, max: 131 }),
  fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER, 0.5, 63.5),
)

/**
 * Insists that whatever is written to a thread comes back exactly, from any version on. What no text of UTF-8 can hold, half of a pair,
 * comes back as the character for what is unknown.
 * @param {import('../../src/ports/store.ts').Store} store
 * @param {{ without?: string, runs?: number }} [options] A character that the store does not take.
 */
export async function checkReads(store, { without, runs = 60 } = {}) {
  let threads = 0
  const bodies = length.chain((count) => fc.array(body, { minLength: count, maxLength: count, size: 'max' }))
  const property = fc.asyncProperty(bodies, fc.array(after, { minLength: 1, maxLength: 5 }), async (all, starts) => {
    const threadId = `t${++threads}`
    const entries = without === undefined ? all : all.map((one) => one.replaceAll(without, ''))
    const outcome = await store.append({ threadId, entries })
    assert.ok(outcome.ok)
    const written = entries.map((one, index) => ({
      seq: index + 1,
      at: outcome.at,
      body: Buffer.from(one).toString(),
    }))
    for (const start of [0, ...starts]) {
      const slice = await store.read(threadId, { after: start })
      assert.equal(slice.version, written.length)
      assert.deepEqual(
        slice.entries,
        written.filter(({ seq }) => seq > start),
      )
    }
  })
  await fc.assert(property, { numRuns: runs })
}
