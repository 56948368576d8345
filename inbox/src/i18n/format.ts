import { formatMoney } from '../../../src/core/display/format.ts'
import type { Language } from './language.ts'

/** Formats numbers and times for one reader. */
export interface Format {
  readonly language: Language
  readonly locale: string
  number(value: number): string
  percent(part: number): string
  money(value: number, options: { currency: string; unit?: 'minor' | 'major' }): string
  /** The exact time, such as `12 Mar 2026, 10:24:06`. */
  exact(at: number): string
  /** Hours and minutes. */
  clock(at: number): string
  /** A day and a time, such as `12 Mar, 10:24`. */
  day(at: number): string
  /** A length of time in its largest unit, such as `4 min`. */
  span(seconds: number): string
  /** A length of time before now, such as `4 min ago`. */
  ago(seconds: number): string
  /** What is left: `m:ss` under an hour, else its largest unit. */
  left(seconds: number): string
  /** How long something took, in tenths of a second if it was short. */
  took(ms: number): string
}

const UNITS = {
  en: { s: 's', min: 'min', h: 'h', d: 'd' },
  zh: { s: '秒', min: '分钟', h: '小时', d: '天' },
} as const

/** Fewer seconds than these are not worth a number. */
const JUST_NOW = 5

function span(language: Language, seconds: number): string {
  const all = Math.max(0, Math.floor(seconds))
  const units = UNITS[language]
  if (seconds < 1) return `< 1 ${units.s}`
  if (all < 60) return `${all} ${units.s}`
  if (all < 3600) return `${Math.floor(all / 60)} ${units.min}`
  if (all < 86_400) return `${Math.floor(all / 3600)} ${units.h}`
  return `${Math.floor(all / 86_400)} ${units.d}`
}

function left(language: Language, seconds: number): string {
  const all = Math.max(0, Math.floor(seconds))
  return all >= 3600 ? span(language, all) : `${Math.floor(all / 60)}:${String(all % 60).padStart(2, '0')}`
}

function ago(language: Language, seconds: number): string {
  if (seconds < JUST_NOW) return { en: 'just now', zh: '刚刚' }[language]
  return language === 'zh' ? `${span(language, seconds)}前` : `${span(language, seconds)} ago`
}

function took(language: Language, ms: number, number: (value: number) => string): string {
  if (ms >= 10_000) return span(language, ms / 1000)
  return `${number(Math.round(ms / 100) / 10)} ${UNITS[language].s}`
}

/** The formats of one language and locale, in the reader's time zone. */
export function formatFor(language: Language, locale: string): Format {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
  return {
    language,
    locale,
    number: (value) => number.format(value),
    percent: (part) => percent.format(part),
    money: (value, options) =>
      formatMoney(value, { ...options, locale }) ?? `${number.format(value)} ${options.currency}`,
    exact: (at) => exact.format(at),
    clock: (at) => clock.format(at),
    day: (at) => day.format(at),
    span: (seconds) => span(language, seconds),
    ago: (seconds) => ago(language, seconds),
    left: (seconds) => left(language, seconds),
    took: (ms) => took(language, ms, number.format),
  }
}
