import type { Context } from './context.ts'

/** An option of a command. Without `value`, which is what help calls its value, the option is a switch. */
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
  /** For the list of commands: short enough for one line of 80 columns. */
  readonly summary: string
  /** What else its own help says. */
  readonly about?: string
  /** What follows the name, as help shows it. */
  readonly usage: string
  readonly options: Readonly<Record<string, Option>>
  /** It opens no store, so it takes no options about one. */
  readonly storeless?: boolean
  /** It also works at a gateway. */
  readonly remote?: boolean
  /** How many words may follow the name. */
  readonly positionals: { readonly min: number; readonly max: number }
  readonly examples?: readonly string[]
  /** Resolves to the exit code. */
  run(call: Call): Promise<number>
}

/** Commands that belong together in help. */
export interface CommandGroup {
  readonly title: string
  readonly commands: readonly Command[]
}

/** A command with its arguments: what `run` gets. */
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

/** Options of every command that opens a store. */
export const storeOptions = {
  store: {
    value: 'PLACE',
    help: 'an SQLite file or postgres://… (default: HOLDPOINT_STORE, else .holdpoint/holdpoint.db)',
  },
  schema: { value: 'NAME', help: 'schema of the tables in Postgres (default: holdpoint)' },
  tenant: { value: 'ID', help: 'whose requests, grants and threads (default: default)' },
  'audit-key-file': {
    value: 'FILE',
    help: 'audit keys, one ID:SECRET per line, newest first (default: HOLDPOINT_AUDIT_KEY)',
  },
} satisfies Record<string, Option>

/** Options of every command that also works at a gateway. */
export const gatewayOptions = {
  url: { value: 'URL', help: 'a gateway instead of a store (default: HOLDPOINT_URL)' },
  token: { value: 'TOKEN', help: 'the bearer token for it; safer in HOLDPOINT_TOKEN, where other users cannot see it' },
} satisfies Record<string, Option>

/** Options of every command. */
export const outputOptions = {
  json: { help: 'print JSON' },
  debug: { help: 'print stack traces (or set HOLDPOINT_DEBUG=1)' },
  help: { help: 'print this help' },
} satisfies Record<string, Option>

/** Everything that a command takes. Its own options come first and may replace one of the others. */
export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  return { ...command.options, ...sharedOptionsOf(command) }
}

/** What a command takes besides its own options. */
export function sharedOptionsOf({
  options,
  storeless = false,
  remote = false,
}: Command): Readonly<Record<string, Option>> {
  const shared = { ...(storeless ? {} : storeOptions), ...(remote ? gatewayOptions : {}), ...outputOptions }
  return Object.fromEntries(Object.entries(shared).filter(([name]) => !(name in options)))
}

/** Options of commands that answer a request. */
export const answerOptions = {
  as: { value: 'NAME', help: 'who decides (default: HOLDPOINT_USER, else your login name)' },
  group: { value: 'NAME', multiple: true, help: 'a group of yours, for requests that only its members may decide' },
  comment: { value: 'TEXT', help: 'a note for the record; the agent never sees it' },
  version: { value: 'N', help: 'refuse unless the request is still at this version (see show --json)' },
  digest: { value: 'HEX', help: 'refuse unless the request is about exactly this call' },
  'idempotency-key': { value: 'KEY', help: 'repeating the command with the same key changes nothing' },
} satisfies Record<string, Option>

/** Options of commands that decide about a call. */
export const decisionOptions = {
  ...answerOptions,
  undo: { value: 'TIME', help: 'delay before it takes effect, such as 30s; until then it can be withdrawn' },
} satisfies Record<string, Option>

/** The option of commands that show requests. */
export const fullOption = {
  full: { help: 'shorten nothing' },
} satisfies Record<string, Option>
