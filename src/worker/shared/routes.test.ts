import fc from 'fast-check'
import { expect, it } from 'vitest'
import { routeOf, versionsIn } from './routes.ts'

const version = fc.option(fc.string({ unit: 'grapheme' }))

it('two agents share a route only if their names and versions are equal', () => {
  const agent = fc.record({ name: fc.string({ unit: 'grapheme' }), version })
  fc.assert(
    fc.property(agent, agent, (one, other) => {
      const isSame = one.name === other.name && one.version === other.version
      expect(routeOf(one.name, one.version) === routeOf(other.name, other.version)).toBe(isSame)
    }),
  )
})

it('an agent without a version has a route of its own', () => {
  const routes = [
    routeOf('a', null),
    routeOf('a', undefined),
    routeOf('a', ''),
    routeOf('a', 'null'),
    routeOf('a@1', null),
  ]
  expect(new Set(routes).size).toBe(4)
  expect(routeOf('a', null)).toBe(routeOf('a', undefined))
})

it('a name with lone surrogates has a route too', () => {
  expect(routeOf('a\ud800', 'v\udc00')).toBe(routeOf('a\ufffd', 'v\ufffd'))
})

it('the versions of an agent are read from its routes alone, the newest last', () => {
  const mixed = [routeOf('a', '1.10'), routeOf('b', '3'), routeOf('a', '1.9'), routeOf('a', null), routeOf('a@1', 'x')]
  expect(versionsIn(mixed, 'a')).toEqual([null, '1.9', '1.10'])
  expect(versionsIn(mixed, 'nobody')).toEqual([])
  const names = fc.uniqueArray(fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), names, (agent, versions) => {
      const found = versionsIn(
        versions.map((each) => routeOf(agent, each)),
        agent,
      )
      expect(new Set(found)).toEqual(new Set(versions))
    }),
  )
})
