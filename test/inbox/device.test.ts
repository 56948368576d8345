import { describe, expect, it } from 'vitest'
import { hrefOf, parseRoute, type Route } from '../../inbox/src/app/route.ts'
import { formatFor } from '../../inbox/src/i18n/format.ts'
import { preferredLanguage } from '../../inbox/src/i18n/language.ts'
import { keepFilters, readFilters, toListFilter } from '../../inbox/src/queue/filters.ts'

describe('addresses of the page', () => {
  it.each<Route>([
    { view: 'inbox' },
    { view: 'inbox', id: '0195-a' },
    { view: 'decisions', id: 'x/y' },
    { view: 'thread', id: 'order 42/ä' },
    { view: 'grants' },
    { view: 'settings' },
  ])('lead back to their view: %j', (route) => {
    expect(parseRoute(hrefOf(route))).toEqual(route)
  })

  it('that are unknown lead to the inbox, and a code to the sign-in', () => {
    expect(parseRoute('#/nowhere/1')).toEqual({ view: 'inbox' })
    expect(parseRoute('#/thread/%E0%A4%A')).toEqual({ view: 'thread', id: '%E0%A4%A' })
    expect(parseRoute('#code=dA.x/y')).toEqual({ view: 'signin', code: 'dA.x/y' })
  })
})

describe('kept filters', () => {
  const storage = (text: string | null) => ({ text, getItem: () => text, setItem: () => undefined })

  it('survive whatever else is in their place', () => {
    for (const text of [null, '', '{', '{"a":1}', '[1,{"name":2}]']) expect(readFilters(storage(text))).toEqual([])
  })

  it('are kept once for each name', () => {
    const a = { name: 'a', base: 'all' as const, text: 'x' }
    expect(keepFilters(storage(null), [a, { ...a, text: 'y' }])).toEqual([{ ...a, text: 'y' }])
  })

  it('become a query', () => {
    expect(toListFilter({ base: 'all', text: ' ' })).toEqual({})
    expect(toListFilter({ base: 'high', text: ' refund ' })).toEqual({ risk: 'high', text: 'refund' })
    expect(toListFilter({ base: 'mine', text: '' })).toEqual({ mine: true })
  })
})

describe('formats', () => {
  const en = formatFor('en', 'en-GB')

  it('never round an amount', () => {
    expect(en.money(12_000, { currency: 'EUR', unit: 'minor' })).toBe('€120.00')
    expect(en.money(500, { currency: 'JPY', unit: 'minor' })).toBe('JP¥500')
    expect(en.money(0.0041, { currency: 'USD' })).toBe('0.0041 USD')
    expect(en.money(1e-7, { currency: 'USD' })).toBe('1e-7 USD')
    expect(en.money(5, { currency: 'not a currency' })).toBe('5 not a currency')
  })

  it('count down in minutes and seconds, then in larger units', () => {
    expect([561, 59, 0, -5, 3600, 90_000].map((seconds) => en.left(seconds))).toEqual([
      '9:21',
      '0:59',
      '0:00',
      '0:00',
      '1 h',
      '1 d',
    ])
    expect(formatFor('zh', 'zh-CN').ago(120)).toBe('2 分钟前')
  })

  it('follow the language that the browser asks for', () => {
    expect(preferredLanguage(['fr', 'zh-TW', 'en'])).toBe('zh')
    expect(preferredLanguage(['fr'])).toBe('en')
  })
})
