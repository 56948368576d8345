import { describe, expect, it } from 'vitest'
import { lazyMembers } from './lazy-members.ts'

const withTotal = lazyMembers<{ items: number[] }, { total: number; first: number | undefined }>({
  total: ({ items }) => items.reduce((sum, item) => sum + item, 0),
  first: ({ items }) => items[0],
})

describe('lazy members', () => {
  it('are computed each time they are read', () => {
    const items = [1, 2]
    const sum = withTotal({ name: 'a' }, { items })
    items.push(3)
    expect(sum.total).toBe(6)
  })

  it('look like ordinary members, and a copy has their values', () => {
    const items = [1, 2]
    const sum = withTotal({ name: 'a' }, { items })
    const copy = { ...sum }
    items.push(3)
    expect(Object.keys(sum)).toEqual(['name', 'total', 'first'])
    expect(Reflect.ownKeys(copy)).toEqual(['name', 'total', 'first'])
    expect(copy.total).toBe(3)
    expect(JSON.stringify(sum)).toBe('{"name":"a","total":6,"first":1}')
  })

  it('cannot be replaced', () => {
    const sum = withTotal({}, { items: [1] })
    expect(() => Object.assign(sum, { total: 7 })).toThrow(TypeError)
  })

  it('can be read through a proxy, and through an object that inherits them', () => {
    const sum = withTotal({}, { items: [1] })
    expect(new Proxy(sum, {}).total).toBe(1)
    expect(Object.create(sum).total).toBe(1)
  })

  it('share their getters, so that none of them holds a source', () => {
    const [one, other] = [withTotal({}, { items: [1] }), withTotal({}, { items: [2] })].map(
      (sum) => Object.getOwnPropertyDescriptor(sum, 'total')?.get,
    )
    expect(one).toBe(other)
  })
})
