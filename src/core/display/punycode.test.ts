import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mixedScripts, punycodeReading } from './punycode.ts'

it.each([
  ['xn--pypal-4ve.com', 'pаypal.com'],
  ['https://xn--bcher-kva.example/x?y=1', 'https://bücher.example/x?y=1'],
  ['ann@xn--fsq.xn--0zwm56d', 'ann@例.测试'],
  ['paypal.com', undefined],
  ['xn--', undefined],
  ['xn--99999999999', undefined],
])('%s reads %s', (text, read) => {
  expect(punycodeReading(text)).toBe(read)
})

it('reads what browsers read', () => {
  fc.assert(
    fc.property(
      fc.webUrl(),
      fc.constantFrom('ü', 'é', 'а', '中', 'ñ'),
      fc.stringMatching(/^[a-z]{1,8}$/),
      (_url, odd, word) => {
        const host = new URL(`http://${word}${odd}.example`).hostname
        expect(punycodeReading(host)).toBe(domainToUnicode(host))
      },
    ),
  )
})

it('tells words whose letters are of several scripts that look alike', () => {
  expect(mixedScripts('pаypal.com')).toEqual(['Latin', 'Cyrillic'])
  expect(mixedScripts('привет.example')).toEqual([])
  expect(mixedScripts('grüße 中文')).toEqual([])
})
