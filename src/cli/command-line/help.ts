import { type Command, commonOptions, type Option } from './command.ts'

/** What `holdpoint --help` says. */
export function globalHelp(commands: readonly Command[]): string[] {
  return [
    'holdpoint: a risky tool call stops, a person decides, and the run goes on exactly where it stopped.',
    '',
    'usage: holdpoint COMMAND [options]',
    '',
    ...commandLines(commands),
    '',
    ...optionLines({ ...commonOptions, version: { help: 'show the version' } }),
    '',
    'An ID may be shortened to its beginning or end (4 characters or more) as long as it is clear which open request (or grant) is meant.',
    'More about a command: holdpoint COMMAND --help',
  ]
}

/** What `holdpoint WORD --help` says of commands that begin with the same word. */
export function groupHelp(word: string, parts: readonly Command[]): string[] {
  return [
    `usage: holdpoint ${word} COMMAND [options]`,
    '',
    ...commandLines(parts),
    '',
    `More about a command: holdpoint ${word} COMMAND --help`,
  ]
}

function commandLines(commands: readonly Command[]): string[] {
  const width = Math.max(...commands.map((command) => command.name.length))
  return commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`)
}

/** What `holdpoint COMMAND --help` says. */
export function commandHelp(command: Command): string[] {
  const { examples = [] } = command
  return [
    `usage: holdpoint ${command.name} ${command.usage}`.trimEnd(),
    '',
    command.summary,
    '',
    ...optionLines({ ...command.options, ...commonOptions, ...command.options }),
    ...(examples.length > 0 ? ['', 'examples:', ...examples.map((example) => `  holdpoint ${example}`)] : []),
  ]
}

function optionLines(options: Readonly<Record<string, Option>>): string[] {
  const rows = Object.entries(options).map(([name, { value, help, multiple }]) => ({
    left: `--${name}${value === undefined ? '' : ` ${value}`}${multiple ? ' …' : ''}`,
    help,
  }))
  const width = Math.max(...rows.map((row) => row.left.length))
  return rows.map(({ left, help }) => `  ${left.padEnd(width)}  ${help}`)
}
