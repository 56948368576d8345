import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Fields } from '../../inbox/src/card/values/fields.tsx'
import { lookAlikes } from '../../inbox/src/card/values/look-alikes.ts'
import { resultText } from '../../inbox/src/card/values/result-text.ts'
import { keyName } from '../../inbox/src/keyboard/key-name.ts'
import { refund } from './requests.ts'

it('shows what stands beside a declared nested argument', () => {
  const request = refund({
    args: { payment: { amount: 500, bank: 'evil.example' }, to: 'xn--pypal-4ve.com' },
    display: { title: ['Pay'], fields: [{ path: 'payment.amount', format: 'number' }] },
  })
  const page = renderToStaticMarkup(createElement(Fields, { request }))
  expect(page).toContain('payment.bank')
  expect(page).toContain('evil.example')
  expect(page).toContain('reads as “pаypal.com”')
  expect(page).toContain('Latin, Cyrillic')
})

it.each([
  ['https://xn--acm-dma.example/d', 'https://acmé.example/d', []],
  ['ann@xn--pypal-4ve.com', 'ann@pаypal.com', ['Latin', 'Cyrillic']],
  ['pаypal', undefined, ['Latin', 'Cyrillic']],
])('tells that %s may read as something else', (text, reading, scripts) => {
  expect(lookAlikes(text)).toEqual([{ reading, scripts }])
  expect(lookAlikes({ list: [1, null, { deep: text }] })).toEqual([{ reading, scripts }])
})

it('says nothing about plain addresses', () => {
  expect(lookAlikes(['ann@example.com', 'grüße', '中文 text', 42])).toEqual([])
})

it.each([
  ['{"orderId":47,"item":"Tea strainer","paid":true}', 'orderId 47 · item Tea strainer · paid true'],
  ['{"nested":{"a":1}}', '{"nested":{"a":1}}'],
  ['{}', '{}'],
  ['{broken', '{broken'],
  ['[1,2]', '[1,2]'],
  ['plain', 'plain'],
])('shows the result %s as %s', (text, shown) => {
  expect(resultText(text)).toBe(shown)
})

it('names the key of the device', () => {
  expect(keyName('⌘', 'MacIntel')).toBe('⌘')
  expect(keyName('⌘', 'Linux x86_64')).toBe('Ctrl')
  expect(keyName('E', 'Linux x86_64')).toBe('E')
})
