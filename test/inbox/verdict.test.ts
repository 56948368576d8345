import type { RequestDetail } from 'holdpoint/client'
import type { ActiveVerdict, VerdictState } from 'holdpoint/react'
import { describe, expect, it } from 'vitest'
import { inBulk, pick, sumOf } from '../../inbox/src/bulk/selection.ts'
import { actionLabel, headlineOf, plainHeadline } from '../../inbox/src/card/headline.ts'
import { formatFor } from '../../inbox/src/i18n/format.ts'
import { loadWords } from '../../inbox/src/i18n/i18n.tsx'
import { readAnswers } from '../../inbox/src/verdict/ask-form.tsx'
import { gateOf, isTyped } from '../../inbox/src/verdict/gate.ts'
import { type HeldVerdict, heldState } from '../../inbox/src/verdict/held.ts'
import { standingOf } from '../../inbox/src/verdict/standing.ts'
import { undoneText } from '../../inbox/src/verdict/undone.ts'
import { refund } from './requests.ts'

const NOW = Date.parse('2026-03-12T10:10:00Z')
const detailOf = (request = refund()): RequestDetail => ({
  request,
  policies: [],
  changes: [],
  offers: [],
  similar: [],
  grants: 0,
  story: [],
  comments: [],
})
const title = (...parts: (string | { path: string })[]) => ({ title: parts, fields: refund().display?.fields ?? [] })

describe('the approve button', () => {
  const label = (request = refund()) => actionLabel(headlineOf(request, { locale: 'en-GB' }))

  it('says what happens, up to an argument that is only joined on', () => {
    expect(label()).toBe('Refund €120.00')
    expect(label(refund({ display: title('Close order ', { path: 'orderId' }, ' for ', { path: 'to' }) }))).toBe(
      'Close order 42',
    )
    expect(label(refund({ display: title('Move ', { path: 'orderId' }, ' ', { path: 'note' }, ' away') }))).toBe(
      'Move 42 Lid cracked away',
    )
  })

  it('has no hidden character in its name', () => {
    const request = refund({ args: { ...refund().args, to: 'a\u202eda' } })
    expect(plainHeadline(headlineOf(request, { locale: 'en-GB' }))).toBe('Refund €120.00 to a‹RLO›da')
  })

  it('asks for more than a click if the risk is high: a word that makes people read, else a held button', () => {
    expect(gateOf(refund({ risk: 'medium' }))).toEqual({ kind: 'arm' })
    expect(gateOf(refund({ risk: 'high' }))).toEqual({ kind: 'hold' })
    expect(gateOf(refund({ risk: 'high', hidden: 2 }))).toEqual({ kind: 'type', word: 'refund' })
    const many = refund({
      risk: 'high',
      args: { people: Array.from({ length: 3200 }, String) },
      display: { title: ['Mail ', { path: 'people.length' }, ' people'], fields: [] },
    })
    expect(gateOf(many)).toEqual({ kind: 'type', word: '3200' })
    expect(['3200', '3,200', '3 200 '].every((typed) => isTyped(typed, '3200'))).toBe(true)
    expect(['', '320', '32000', 'x'].some((typed) => isTyped(typed, '3200'))).toBe(false)
  })
})

describe('a request that is being read', () => {
  const standing = (facts: Partial<Parameters<typeof standingOf>[0]>) =>
    standingOf({ detail: detailOf(), changed: undefined, verdict: { state: 'idle' }, now: NOW, ...facts }).kind

  it('can be decided only while it is open, as it was read, before its deadline, by those who may', () => {
    expect(standing({})).toBe('open')
    expect(standing({ detail: detailOf(refund({ mayDecide: false })) })).toBe('denied')
    expect(standing({ now: Date.parse('2026-03-12T10:31:00Z') })).toBe('expired')
    const other = detailOf(refund({ version: 2, args: { amount: 1 } }))
    expect(
      standing({ changed: { kind: 'changed', now: other, differences: [{ path: 'args.amount', from: 1, to: 2 }] } }),
    ).toBe('changed')
    const decided = detailOf(refund({ version: 2, status: 'decided' }))
    expect(standing({ changed: { kind: 'closed', now: decided } })).toBe('decided')
    expect(standing({ changed: { kind: 'replaced', now: decided, differences: [] } })).toBe('replaced')
  })

  it('stays open after a deadline at which others are asked', () => {
    expect(
      standing({ detail: detailOf(refund({ onTimeout: 'escalate' })), now: Date.parse('2026-03-13T10:00:00Z') }),
    ).toBe('open')
  })

  it('shows what became of it before what this window tried', () => {
    const verdict: ActiveVerdict = {
      state: 'held',
      request: refund(),
      verdict: { kind: 'answer', answer: true },
      perhaps: false,
    }
    expect(standing({ verdict })).toBe('held')
    expect(standing({ verdict, changed: { kind: 'closed', now: detailOf(refund({ status: 'expired' })) } })).toBe(
      'expired',
    )
  })
})

describe('a decision that was kept offline', () => {
  const held: HeldVerdict = {
    state: 'held',
    request: refund(),
    verdict: { kind: 'decide', decision: { type: 'approve' } },
    perhaps: false,
  }

  it('is never sent after the deadline, for another version, or if somebody was faster', () => {
    expect(heldState(held, undefined, NOW)).toBe('checking')
    expect(heldState(held, 'absent', NOW)).toBe('decided')
    expect(heldState(held, refund(), NOW)).toBe('ready')
    expect(heldState(held, refund(), Date.parse('2026-03-12T10:30:00Z'))).toBe('late')
    expect(heldState(held, refund({ status: 'expired' }), NOW)).toBe('late')
    expect(heldState(held, refund({ version: 2 }), NOW)).toBe('changed')
    expect(heldState(held, refund({ digest: 'sha256:bb' }), NOW)).toBe('changed')
    expect(heldState(held, refund({ status: 'decided', version: 2 }), NOW)).toBe('decided')
  })
})

describe('a selection', () => {
  it('takes only what may be decided together', () => {
    expect(inBulk(refund({ risk: 'medium' }))).toBe(true)
    const alone = [
      { risk: 'high' as const },
      { kind: 'ask' as const },
      { mayDecide: false },
      { hidden: 1 },
      { status: 'decided' as const },
    ]
    expect(alone.map((change) => inBulk(refund(change)))).toEqual([false, false, false, false, false])
  })

  it('toggles one, and reaches to another', () => {
    const order = ['a', 'b', 'c', 'd']
    expect([...pick(new Set(['a']), 'a', { order })]).toEqual([])
    expect([...pick(new Set(['d']), 'b', { order, from: 'd' })]).toEqual(['d', 'b', 'c'])
  })

  it('sums only amounts of one currency', () => {
    const format = formatFor('en', 'en-GB')
    expect(sumOf([refund(), refund({ args: { amount: 1850 } })], format)).toBe('€138.50')
    expect(sumOf([refund(), refund({ args: {} })], format)).toBe('')
  })
})

describe('the answers to a form', () => {
  const where = {
    key: 'where',
    prompt: 'Where?',
    options: [
      { value: 'eu', label: 'EU' },
      { value: 'other', label: 'Somewhere else', allowInput: true },
    ],
  }

  it('an option that takes input needs words, and is sent as them', () => {
    const read = (text: string, chosen = ['other'], required = true) =>
      readAnswers([{ ...where, required }], { where: { chosen, text } })
    expect(read('')).toEqual({ value: {}, missing: ['where'] })
    expect(read(' ', ['other'], false)).toEqual({ value: {}, missing: ['where'] })
    expect(read(' Oslo ')).toEqual({ value: { where: 'Oslo' }, missing: [] })
    expect(read('', ['eu'])).toEqual({ value: { where: 'eu' }, missing: [] })
  })
})

describe('what is said of decisions that were undone', () => {
  it.each([
    ['en', /open again/, /deadline has passed meanwhile.*expired/],
    ['zh', /请求重新打开/, /截止时间已过.*已过期/],
  ] as const)(
    'tells a request that has expired meanwhile from one that is open again: %s',
    async (language, open, expired) => {
      const { verdict: words } = await loadWords[language]()
      const withdrawn = (status: 'open' | 'expired') =>
        ({ state: 'withdrawn', request: refund({ status }), verdict: {} }) as unknown as VerdictState
      expect(undoneText([withdrawn('open')], words)).toMatch(open)
      expect(undoneText([withdrawn('expired')], words)).toMatch(expired)
      expect(undoneText([withdrawn('open'), withdrawn('expired')], words)).toMatch(expired)
      expect(undoneText([{ state: 'idle' } as unknown as VerdictState], words)).toBe(words.toast.undoFailed)
    },
  )
})
