import type { DisplayField, FieldFormat } from '../../protocol/display.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import { wordsOf } from './words.ts'

/** What an argument is about, in the order in which people need to know it. */
const stakes = ['money', 'recipient', 'place', 'command', 'id', 'enum', 'text', 'flag', 'secret'] as const
/** What an argument is about. */
type Stake = (typeof stakes)[number]

/** An argument, and what was read from its name and value. */
export interface Guess {
  readonly stake: Stake
  readonly field: DisplayField
}

/** The place of a stake in the order of fields. */
export function rankOf({ stake }: Guess): number {
  return stakes.indexOf(stake)
}

const MONEY = ['amount', 'price', 'cost', 'fee', 'refund', 'charge', 'payment', 'salary', 'budget', 'discount']
const MINOR = ['cents', 'cent', 'pence', 'minor']
const CURRENCIES = ['usd', 'eur', 'gbp', 'jpy', 'cny', 'chf', 'inr', 'aud', 'cad', 'sek', 'nok', 'dkk', 'pln', 'brl']
const RECIPIENT = ['to', 'cc', 'bcc', 'recipient', 'recipients', 'email', 'emails', 'mail', 'payee', 'iban', 'account']
const FILE = ['path', 'paths', 'file', 'files', 'filename', 'dir', 'directory', 'folder', 'bucket']
const HOST = ['url', 'urls', 'uri', 'link', 'host', 'hostname', 'domain', 'endpoint', 'webhook', 'server']
const CODE = ['command', 'cmd', 'commands', 'script', 'code', 'shell', 'patch', 'diff']
const STATEMENT = ['sql', 'query', 'statement']
const ID = ['id', 'ids', 'uuid', 'key', 'ref', 'reference', 'sha', 'hash', 'order', 'ticket', 'invoice', 'number']
const SECRET = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'credential',
  'credentials',
  'cvv',
  'authorization',
]

const FREE = [
  'text',
  'body',
  'message',
  'note',
  'comment',
  'description',
  'content',
  'subject',
  'summary',
  'prompt',
  'input',
]

const SQL = /^\s*(?:select|insert|update|delete|drop|alter|create|truncate|with|grant|revoke|merge)\b/i
const MAIL = /^[^\s@]+@[^\s@]+$/
const URL_LIKE = /^[a-z][a-z\d+.-]*:\/\//i
const PATH_LIKE = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:\\)/
const UUID_LIKE = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i
const DATE_LIKE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/
const NUMERIC = /^-?\d+(?:\.\d+)?$/
const WORD = /^[\p{L}\d][\p{L}\d_.-]{0,23}$/u

/** Reads from the name and value of an argument what it is about, and how it is written. `currency`: the path of an argument that names one. */
export function guessField(path: string, value: JsonValue, currency?: string): Guess {
  const words = wordsOf(path.split('.').at(-1) ?? path)
  const has = (names: readonly string[]) => words.some((word) => names.includes(word))
  if (isSecret(words) && typeof value === 'string') return guess('secret', path, 'secret')
  if (typeof value === 'boolean') return guess('flag', path, 'flag')
  const isNumber = typeof value === 'number' || (typeof value === 'string' && NUMERIC.test(value))
  if (isNumber && (has(MONEY) || has(MINOR) || has(CURRENCIES))) return moneyGuess(path, words, currency)
  if (Array.isArray(value)) return guess(stakeOf(words, value[0] ?? ''), path, 'list')
  if (typeof value === 'object') return guess('text', path, 'json')
  if (typeof value === 'number') return has(ID) ? guess('id', path, 'id') : guess('enum', path, 'number')
  const stake = stakeOf(words, value)
  return guess(stake, path, formatOf(stake, words, value))
}

function isSecret(words: readonly string[]): boolean {
  return words.some(
    (word, index) => SECRET.includes(word) || (word === 'key' && ['api', 'private'].includes(words[index - 1] ?? '')),
  )
}

function moneyGuess(path: string, words: readonly string[], sibling: string | undefined): Guess {
  const named = words.find((word) => CURRENCIES.includes(word))?.toUpperCase()
  const currency = named ?? (sibling === undefined ? undefined : { path: sibling })
  const minor = words.some((word) => MINOR.includes(word))
  const field: DisplayField = { path, format: 'money' }
  if (currency !== undefined) field.currency = currency
  if (minor) field.unit = 'minor'
  return { stake: 'money', field }
}

/** By the value first: a name may say anything. */
function stakeOf(words: readonly string[], value: JsonValue): Stake {
  if (typeof value !== 'string') return 'text'
  const has = (names: readonly string[]) => words.some((word) => names.includes(word))
  const isLine = !/\s/.test(value.trim())
  if (MAIL.test(value)) return 'recipient'
  if (URL_LIKE.test(value) || (isLine && PATH_LIKE.test(value))) return 'place'
  if (has(CODE) || (has(STATEMENT) && SQL.test(value))) return 'command'
  if (UUID_LIKE.test(value)) return 'id'
  if (DATE_LIKE.test(value)) return 'enum'
  if (has(FREE) || (!isLine && value.length > 60)) return 'text'
  if (has(RECIPIENT)) return 'recipient'
  if (has(FILE) || has(HOST)) return 'place'
  if (isLine && has(ID)) return 'id'
  return WORD.test(value) ? 'enum' : 'text'
}

function formatOf(stake: Stake, words: readonly string[], value: string): FieldFormat {
  switch (stake) {
    case 'recipient':
      return MAIL.test(value) ? 'email' : 'text'
    case 'place':
      return URL_LIKE.test(value) || words.some((word) => HOST.includes(word)) ? 'url' : 'path'
    case 'command':
      return SQL.test(value) && words.some((word) => STATEMENT.includes(word)) ? 'sql' : 'code'
    case 'id':
      return 'id'
    case 'enum':
      return DATE_LIKE.test(value) ? 'date' : 'enum'
    case 'money':
    case 'text':
    case 'flag':
    case 'secret':
      return 'text'
    default:
      return stake satisfies never
  }
}

function guess(stake: Stake, path: string, format: FieldFormat): Guess {
  return { stake, field: { path, format } }
}
