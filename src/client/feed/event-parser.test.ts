import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventParser, type ServerEvent } from './event-parser.ts'

const parse = (...pieces: string[]): ServerEvent[] => {
  const parser = new EventParser()
  return pieces.flatMap((piece) => parser.push(piece))
}

describe('the parser of server-sent events', () => {
  it('reads types, ids and data of several lines; skips comments and unknown fields', () => {
    const text = '\uFEFF: hi\nevent: a\nid: 1\ndata: x\ndata:y\nretry: 5\nnonsense\n\ndata: z\n\n'
    expect(parse(text)).toEqual([
      { type: 'a', data: 'x\ny', id: '1' },
      { type: 'message', data: 'z', id: '1' },
    ])
  })

  it('emits nothing before an event is complete', () => {
    expect(parse('data: x\n')).toEqual([])
    expect(parse('data: x\n', '\n')).toHaveLength(1)
  })

  it('reads the same events however chunks are cut and lines end', () => {
    const line = fc.constantFrom('data: x', 'data:', 'event: a', 'id: 7', ': c', '', '')
    const ending = fc.constantFrom('\n', '\r', '\r\n')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), ending, fc.array(fc.nat(60)), (lines, end, cuts) => {
        const whole = parse(lines.map((each) => `${each}\n`).join(''))
        const text = lines.map((each) => `${each}${end}`).join('')
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((place, index) => text.slice(places[index], place))
        expect(parse(...pieces)).toEqual(whole)
      }),
    )
  })

  it('reads a large event in time linear in its size', () => {
    const piece = 'x'.repeat(16_384)
    const time = (pieces: number): number => {
      const parser = new EventParser()
      const start = performance.now()
      parser.push('data: ')
      for (let i = 0; i < pieces; i++) parser.push(piece)
      expect(parser.push('\n\n')[0]?.data).toHaveLength(pieces * piece.length)
      return performance.now() - start
    }
    time(64)
    const small = Math.min(time(128), time(128), time(128))
    // Eight times the size: quadratic would be 64 times as long.
    expect(time(1024)).toBeLessThan(Math.max(32 * small, 200))
  })

  it.each([
    ['one line', ''],
    ['many lines', '\ndata: '],
  ])('refuses an event without an end, of %s', (_, between) => {
    const parser = new EventParser()
    const piece = `${between}${'x'.repeat(1_048_576)}`
    expect(() => {
      for (let i = 0; i < 70; i++) parser.push(piece)
    }).toThrow('The gateway sent an event of more than 67108864 characters.')
  })
})
