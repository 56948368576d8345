import type { Logger } from '../../gateway.ts'

/** How much is logged. */
type LogLevel = 'info' | 'warn' | 'error' | 'silent'

/** The numbers by which pino names its levels, so that its tools can read the lines. */
const LEVELS = { info: 30, warn: 40, error: 50, silent: Number.POSITIVE_INFINITY } as const

/** How lines are written. */
export interface LogOptions {
  readonly level: LogLevel
  /** What every line says of its process, such as the role. */
  readonly fields: object
  /** Strings that are never written, such as connection strings and tokens. */
  readonly secrets: readonly string[]
  now(): number
  write(line: string): void
}

/** Logs JSON lines like pino's: `level`, `time`, fields, `msg`. */
export function logLines({ level, fields, secrets, now, write }: LogOptions): Logger {
  const hide = hiding(secrets)
  const at = (name: 'info' | 'warn' | 'error') => (more: object, msg: string) => {
    if (LEVELS[name] < LEVELS[level]) return
    const line = { level: LEVELS[name], time: now(), ...fields, ...more, msg }
    write(JSON.stringify(line, (_, value) => (typeof value === 'string' ? hide(value) : value)))
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

const HIDDEN = '[hidden]'
/** A user and password in any address. */
const CREDENTIALS = /([a-z][a-z\d+.-]*:\/\/)[^\s/?#@]*:[^\s@]*@/gi
/** A bearer token, and anything in the form of a JSON Web Token. */
const TOKENS = /\bbearer +[\w.~+/=-]+|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/gi

/** Hides secrets, whichever part of a message they are in. */
export function hiding(secrets: readonly string[]): (text: string) => string {
  // The longest first: a password is part of its connection string.
  const all = [...new Set(secrets)].sort((a, b) => b.length - a.length)
  return (text) => {
    let shown = text
    for (const secret of all) shown = shown.replaceAll(secret, HIDDEN)
    return shown.replace(CREDENTIALS, `$1${HIDDEN}@`).replace(TOKENS, HIDDEN)
  }
}
