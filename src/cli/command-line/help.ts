import type { Style } from '../render/style.ts'
import { padTo, widthOf, wrapWords } from '../render/width.ts'
import {
  type Command,
  type CommandGroup,
  gatewayOptions,
  type Option,
  outputOptions,
  sharedOptionsOf,
  storeOptions,
} from './command.ts'

/** What help is printed on. */
export interface Page {
  /** No line is longer. */
  readonly width: number
  readonly style: Style
}

const INDENT = 2
/** Words, and short defaults as a whole. */
const UNBROKEN = /\(default: [^),]+\)|\S+/g
const NAME = 'holdpoint: a risky tool call stops, a person decides, and the run goes on exactly where it stopped.'
const SHORT_IDS =
  'An ID may be shortened to its first or last characters (four or more) if only one open request matches.'

/** What `holdpoint --help` prints. */
export function globalHelp(groups: readonly CommandGroup[], page: Page): string[] {
  return [
    ...wrapWords(NAME, page.width),
    '',
    'usage: holdpoint COMMAND [options]',
    '',
    ...groupLines(groups, page),
    page.style.bold('common options'),
    ...optionLines(
      { ...storeOptions, ...gatewayOptions, ...outputOptions, version: { help: 'print the version' } },
      page,
    ),
    '',
    ...wrapWords(SHORT_IDS, page.width),
    'More about a command: holdpoint COMMAND --help',
  ]
}

/** What `holdpoint WORD --help` prints for commands that begin with the same word. */
export function wordHelp(word: string, parts: readonly Command[], page: Page): string[] {
  return [
    `usage: holdpoint ${word} COMMAND [options]`,
    '',
    ...tableLines(rowsOf(parts), { width: page.width, column: rightColumn(rowsOf(parts)) }),
    '',
    `More about a command: holdpoint ${word} COMMAND --help`,
  ]
}

/** What `holdpoint COMMAND --help` prints. */
export function commandHelp(command: Command, page: Page): string[] {
  const { about, examples = [], options } = command
  return [
    ...usageLines(command, page),
    '',
    ...wrapWords(sentence(command.summary), page.width),
    ...(about === undefined ? [] : wrapWords(about, page.width)),
    ...(Object.keys(options).length > 0 ? ['', page.style.bold('options'), ...optionLines(options, page)] : []),
    '',
    page.style.bold('common options'),
    ...optionLines(sharedOptionsOf(command), page),
    ...(examples.length > 0
      ? ['', page.style.bold('examples'), ...examples.map((example) => `  holdpoint ${example}`)]
      : []),
  ]
}

/** Lines break between `[…]` and `(…)`, not inside of them. */
function usageLines({ name, usage }: Command, page: Page): string[] {
  const start = `usage: holdpoint ${name}`
  const parts = usage.match(/[[(][^[\]()]*[\])]+|\S+/g) ?? []
  const column = widthOf(start) + 1
  const [first = '', ...more] = wrapWords(parts, page.width - column)
  return [`${start} ${first}`.trimEnd(), ...more.map((line) => `${' '.repeat(column)}${line}`)]
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

/** Each group under its title, all in the same columns. */
function groupLines(groups: readonly CommandGroup[], page: Page): string[] {
  const rows = groups.map(({ commands }) => rowsOf(commands))
  const column = rightColumn(rows.flat())
  return groups.flatMap(({ title }, index) => [
    page.style.bold(title),
    ...tableLines(rows[index] ?? [], { width: page.width, column }),
    '',
  ])
}

type Row = readonly [left: string, right: string]

function rowsOf(commands: readonly Command[]): Row[] {
  return commands.map(({ name, summary }) => [name, summary])
}

function optionLines(options: Readonly<Record<string, Option>>, page: Page): string[] {
  const rows = Object.entries(options).map(
    ([name, { value, help, multiple }]): Row => [
      `--${name}${value === undefined ? '' : ` ${value}`}${multiple ? ' …' : ''}`,
      help,
    ],
  )
  return tableLines(rows, { width: page.width, column: rightColumn(rows) })
}

function rightColumn(rows: readonly Row[]): number {
  return Math.max(...rows.map(([left]) => widthOf(left))) + 2 * INDENT
}

/** Two columns. The right one wraps under itself. */
function tableLines(rows: readonly Row[], { width, column }: { width: number; column: number }): string[] {
  return rows.flatMap(([left, right]) =>
    wrapWords(right.match(UNBROKEN) ?? [], width - column).map((line, index) =>
      index === 0 ? `${padTo(`${' '.repeat(INDENT)}${left}`, column)}${line}` : `${' '.repeat(column)}${line}`,
    ),
  )
}
