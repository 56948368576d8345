import type { Context } from './context.ts'

/** An option of a command. `value` is how help names what it takes; without it the option is a switch. */
export interface Option {
  readonly help: string
  readonly value?: string
  /** May be given several times. */
  readonly multiple?: boolean
}

/** A command: what it is called, what it takes, what it does. */
export interface Command {
  /** One word, or two. */
  readonly name: string
  readonly summary: string
  /** What follows the name, as help shows it. */
  readonly usage: string
  readonly options: Readonly<Record<string, Option>>
  /** How many words may follow the name. */
  readonly positionals: { readonly min: number; readonly max: number }
  readonly examples?: readonly string[]
  /** Resolves to the exit code. */
  run(call: Call): Promise<number>
}

/** One use of a command. */
export interface Call {
  readonly context: Context
  readonly args: readonly string[]
  /** The value of an option that takes one. */
  text(name: string): string | undefined
  /** All values of an option that may be given several times. */
  texts(name: string): readonly string[]
  /** Whether a switch is on. */
  flag(name: string): boolean
}

/** What every command takes. */
export const commonOptions = {
  store: {
    value: 'PLACE',
    help: 'the store, an SQLite file or postgres://…; else HOLDPOINT_STORE, else .holdpoint/holdpoint.db here',
  },
  schema: { value: 'NAME', help: 'the schema of the tables in Postgres; else holdpoint' },
  'audit-key-file': {
    value: 'FILE',
    help: 'the audit keys of the store, ID:SECRET on a line each, the newest first; else HOLDPOINT_AUDIT_KEY',
  },
  tenant: { value: 'ID', help: 'whose threads, requests and grants; else default' },
  json: { help: 'print JSON, for programs' },
  debug: { help: 'print stack traces; also HOLDPOINT_DEBUG=1' },
  help: { help: 'show this' },
} satisfies Record<string, Option>

/** What commands that decide take, too. */
export const decisionOptions = {
  as: { value: 'NAME', help: 'who decides; else HOLDPOINT_USER, else the name you are logged in with' },
  comment: { value: 'TEXT', help: 'for the record; the agent never sees it' },
  version: { value: 'N', help: 'refuse unless the request is at this version, as show --json prints it' },
  digest: { value: 'HEX', help: 'refuse unless it asks for exactly this call' },
  undo: { value: 'TIME', help: 'how long it can be withdrawn before it takes effect, such as 30s' },
  'idempotency-key': { value: 'KEY', help: 'makes a repeat of this command recognisable: it is settled once' },
} satisfies Record<string, Option>

/** The option of commands that show requests. */
export const fullOption = {
  full: { help: 'fold nothing, however long' },
} satisfies Record<string, Option>
