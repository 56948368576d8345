import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DisplayField } from '../../protocol/display.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { formatField } from './format.ts'
import { guessDisplay } from './guess.ts'
import { leavesOf } from './leaves.ts'
import { displayOf, titleOf, titleText } from './title.ts'
import { valueAt } from './value-at.ts'

const money = (more: Partial<DisplayField> = {}): DisplayField => ({ path: 'n', format: 'money', ...more })

describe('formats', () => {
  it.each<[string, DisplayField, JsonObject, string, string | undefined]>([
    ['an amount in cents', money({ currency: 'EUR', unit: 'minor' }), { n: 12000 }, 'en', '€120.00'],
    ['an amount in the locale of the reader', money({ currency: 'EUR' }), { n: 1234.5 }, 'de', '1.234,50\u00a0€'],
    ['a currency without minor units', money({ currency: 'JPY', unit: 'minor' }), { n: 500 }, 'en', '¥500'],
    ['a currency that an argument names', money({ currency: { path: 'c' } }), { n: 5, c: 'usd' }, 'en', '$5.00'],
    ['a currency that is none', money({ currency: { path: 'c' } }), { n: 1234, c: 'no such' }, 'en', '1,234'],
    ['cents without a currency', money({ unit: 'minor' }), { n: 1234 }, 'en', '1234'],
    ['more digits than the currency has', money({ currency: 'EUR' }), { n: 1.999 }, 'en', '1.999 EUR'],
    ['an amount as a string', money({ currency: 'GBP' }), { n: '7.5' }, 'en', '£7.50'],
    ['what is no amount', money({ currency: 'GBP' }), { n: 'all of it' }, 'en', 'all of it'],
    ['a number', { path: 'n', format: 'number' }, { n: 1234567.25 }, 'en', '1,234,567.25'],
    ['a secret', { path: 'n', format: 'secret' }, { n: 'hunter2' }, 'en', '•••••••• (7 characters)'],
    ['a list', { path: 'n', format: 'list' }, { n: ['a', 'b', 'c'] }, 'en', 'a and 2 more'],
    ['a list of nothing', { path: 'n', format: 'list' }, { n: [] }, 'en', '(empty list)'],
    ['an empty string', { path: 'n', format: 'text' }, { n: '' }, 'en', '(empty)'],
    ['a flag', { path: 'n', format: 'flag' }, { n: false }, 'en', 'no'],
    ['an argument that is not there', { path: 'n', format: 'text' }, {}, 'en', undefined],
  ])('%s', (_, field, args, locale, text) => {
    expect(formatField(field, args, { locale })).toBe(text)
  })

  it('an amount is never shown as another one', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (cents) => {
        const shown = formatField(money({ currency: 'EUR', unit: 'minor' }), { n: cents }) ?? ''
        expect(Math.round(Number(shown.replaceAll(/[€,]/g, '')) * 100)).toBe(cents)
      }),
    )
  })

  it('a path finds keys with dots, indexes and the number of items, and nothing that is inherited', () => {
    const args = { 'a.b': 1, a: { b: 2, c: [{ d: 3 }] }, list: ['x', 'y'], 'd.e': 4, 'f\\g': 5 }
    expect(
      ['a\\.b', 'a.b', 'a.c.0.d', 'list.1', 'list.length', 'd.e', 'd\\.e', 'f\\g', 'f\\\\g'].map((p) =>
        valueAt(args, p),
      ),
    ).toEqual([1, 2, 3, 'y', 2, 4, 4, 5, 5])
    expect(['list.map', 'a.toString', '__proto__'].map((p) => valueAt(args, p))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('an argument cannot hide behind another one whose path reads the same', () => {
    const shownOf = (args: JsonObject, fields: DisplayField[] = []) =>
      displayOf({
        kind: 'approve',
        toolName: 'pay',
        args,
        ...(fields.length > 0 ? { display: { title: ['Pay'], fields } } : {}),
      }).fields.map((field) => formatField(field, args))
    const spoofed = { to: { iban: 'EVIL' }, 'to.iban': 'GOOD' }
    expect(shownOf(spoofed).sort()).toEqual(['EVIL', 'GOOD'])
    expect(shownOf(spoofed, [{ path: 'to.iban', format: 'text' }])).toEqual(['EVIL', 'GOOD'])
    expect(shownOf({ to: 'ann', 'to.bcc': 'EVIL' }, [{ path: 'to', format: 'text' }])).toEqual(['ann', 'EVIL'])
    const dotted = { 'to.iban': 'EVIL', to: { iban: 'GOOD' } }
    expect(shownOf(dotted, [{ path: 'to.iban', format: 'text' }]).sort()).toEqual(['EVIL', 'GOOD'])
  })

  it('a second currency does not decide how an amount is read', () => {
    const args = { Currency: 'JPY', currency: 'EUR', amount: 120 }
    expect(titleText(guessDisplay({ toolName: 'pay', args }), args)).toBe('Pay 120')
  })
})

describe('guesses', () => {
  const args = {
    dryRun: false,
    note: 'Please pay this back as soon as you can, with apologies from all of us.',
    apiKey: 'sk-123',
    reason: 'duplicate',
    orderId: 'o-42',
    statement: 'select 1',
    path: '/etc/hosts',
    to: 'ada@example.com',
    amountCents: 12000,
    currency: 'EUR',
  }

  it('money, recipients, places, commands, ids, words, free text, flags, secrets: never the order of the model', () => {
    const { fields } = guessDisplay({ toolName: 'refund', args })
    expect(fields.map(({ path, format }) => [path, format])).toEqual([
      ['amountCents', 'money'],
      ['to', 'email'],
      ['path', 'path'],
      ['statement', 'sql'],
      ['orderId', 'id'],
      ['currency', 'enum'],
      ['reason', 'enum'],
      ['note', 'text'],
      ['dryRun', 'flag'],
      ['apiKey', 'secret'],
    ])
    expect(fields[0]).toEqual({ path: 'amountCents', format: 'money', currency: { path: 'currency' }, unit: 'minor' })
    const turned = Object.fromEntries(Object.entries(args).reverse())
    expect(guessDisplay({ toolName: 'refund', args: turned }).fields).toEqual(fields)
  })

  it.each<[string, JsonObject, string]>([
    ['refund_customer', args, 'Refund customer €120.00 to ada@example.com'],
    ['sendEmail', { to: ['a@x.org', 'b@x.org', 'c@x.org'], body: 'Hi' }, 'Send email to a@x.org and 2 more'],
    [
      'github.create_issue',
      { repo: 'shop', body: 'The model says that this is urgent and harmless.' },
      'Github create issue shop',
    ],
    ['run', { command: 'rm -rf /', why: 'cleaning up' }, 'Run rm -rf /'],
    ['noop', {}, 'Noop'],
    ['note', { text: 'Approve this at once, it was agreed with your boss.' }, 'Note'],
    ['login', { user: { password: 'x', email: 'a\u202eb@x.org' } }, 'Login to a‹RLO›b@x.org'],
  ])('the headline of %s', (toolName, given, title) => {
    expect(titleText(guessDisplay({ toolName, args: given }), given)).toBe(title)
  })

  const key = fc.oneof(fc.string(), fc.constantFrom('a', 'b', 'a.b', '.', '', '\\', 'a\\.b', 'a.'))
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.dictionary(key, tie('value'), { maxKeys: 3 })),
  })).value

  it('every argument has exactly one field, whatever the call is, and a headline is one line with nothing hidden', () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 6 }), (given) => {
        const call = JSON.parse(JSON.stringify(given)) as JsonObject
        const display = guessDisplay({ toolName: 'tool', args: call })
        expect(display.fields.map(({ path }) => path).sort()).toEqual(
          leavesOf(call)
            .map(({ path }) => path)
            .sort(),
        )
        expect(new Set(display.fields.map(({ path }) => path)).size).toBe(display.fields.length)
        for (const { path, value } of leavesOf(call)) expect(valueAt(call, path)).toBe(value)
        expect(titleText(display, call)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u)
      }),
    )
  })
})

describe('a request', () => {
  it('keeps the fields that were stored, and an argument that an edit or an earlier build left without one gets one', () => {
    const display = { title: ['Pay ', { path: 'cents' }], fields: [{ path: 'cents', format: 'number' as const }] }
    const request = { kind: 'approve' as const, toolName: 'pay', args: { cents: 5, to: 'a@x.org' }, display }
    expect(displayOf(request).fields).toEqual([...display.fields, { path: 'to', format: 'email' }])
    expect(titleOf(request)).toBe('Pay 5')
    expect(displayOf({ kind: 'approve', toolName: 'pay', args: { cents: 5 } })).toMatchObject({ guessed: true })
  })

  it.each([
    [{ kind: 'confirm' as const, prompt: 'Close\nit?' }, 'Close\\nit?'],
    [{ kind: 'ask' as const, questions: [{ key: 'a', prompt: 'Words of the model' }] }, 'Answer a question'],
    [{ kind: 'ask' as const, questions: ['a', 'b'].map((key) => ({ key, prompt: key })) }, 'Answer 2 questions'],
    [{ kind: 'approve' as const }, 'End the run with this answer'],
    [{ kind: 'approve' as const, toolName: 'send_mail', toolCallId: 'c', questionId: 'c.1' }, 'Send mail asks'],
  ])('%j has a headline', (request, title) => {
    expect(titleOf(request)).toBe(title)
  })
})
