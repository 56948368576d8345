import { parseArgs } from 'node:util'
import {
  type Call,
  type Command,
  gatewayOptions,
  type Option,
  optionsOf,
  outputOptions,
  storeOptions,
} from './command.ts'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'

type ParseOption = { type: 'string' | 'boolean'; multiple?: boolean; short?: string }

/** The words that are not options. The command is not known yet, so the value of one of its own options may be among them. */
export function leadingWords(argv: readonly string[]): { words: string[]; at: number[] } {
  const { tokens } = parseArgs({
    args: [...argv],
    options: toParseOptions({ ...storeOptions, ...gatewayOptions, ...outputOptions }),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const found = tokens.filter((token) => token.kind === 'positional')
  return { words: found.map((token) => token.value), at: found.map((token) => token.index) }
}

/** Parses the arguments of a command. Throws `UsageError` for anything that it does not take. */
export function parseCall(context: Context, command: Command, argv: readonly string[]): Call {
  const { values, positionals } = parse(command, argv)
  const { min, max } = command.positionals
  if (!values.help && positionals.length < min) throw new UsageError(`${command.name} needs ${command.usage}`)
  if (positionals.length > max) throw new UsageError(`${command.name} does not take '${positionals[max]}'`)
  return {
    context,
    args: positionals,
    text: (name) => values[name] as string | undefined,
    texts: (name) => (values[name] as string[] | undefined) ?? [],
    flag: (name) => values[name] === true,
  }
}

function parse(command: Command, argv: readonly string[]): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({
      args: [...argv],
      options: toParseOptions(optionsOf(command)),
      strict: true,
      allowPositionals: true,
    })
  } catch (error) {
    // The first sentence says what is wrong; the rest is advice for programmers.
    throw new UsageError((error as Error).message.split(/\.\s|\n/)[0] ?? '')
  }
}

function toParseOptions(options: Readonly<Record<string, Option>>): Record<string, ParseOption> {
  const entries = Object.entries(options).map(([name, { value, multiple }]): [string, ParseOption] => [
    name,
    {
      type: value === undefined ? 'boolean' : 'string',
      ...(multiple ? { multiple } : {}),
      ...(name === 'help' ? { short: 'h' } : {}),
    },
  ])
  return Object.fromEntries(entries)
}
