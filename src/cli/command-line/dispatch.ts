import { visible } from '../render/visible.ts'
import type { Command, CommandGroup } from './command.ts'
import type { Context } from './context.ts'
import { exitCodeOf, UsageError } from './errors.ts'
import { commandHelp, globalHelp, type Page, wordHelp } from './help.ts'
import { leadingWords, parseCall } from './parse.ts'
import { version } from './version.ts'

/** A command line as it was typed, and the commands that there are. */
export interface CommandLine {
  readonly context: Context
  readonly groups: readonly CommandGroup[]
  readonly argv: readonly string[]
}

/** Runs a command line and resolves to its exit code. It never throws: a failure is printed in one line. */
export async function dispatch(line: CommandLine): Promise<number> {
  const { context, argv } = line
  try {
    return await run(line)
  } catch (error) {
    // It knows the errors of all commands, so it is loaded when there is one.
    const { errorJson, errorLine } = await import('./describe-error.ts')
    const stack = context.settings.debug || argv.includes('--debug') ? (error as Partial<Error>).stack : undefined
    if (argv.includes('--json')) context.err(errorJson(error, stack))
    else {
      context.err(errorLine(error))
      if (error instanceof UsageError) context.err(whereToRead(line))
      if (stack !== undefined) context.err(...stack.split('\n').map(visible))
    }
    return exitCodeOf(error)
  }
}

async function run(line: CommandLine): Promise<number> {
  const { context, argv } = line
  const commands = commandsOf(line)
  const { words, at } = leadingWords(argv)
  if (words.length === 0) return withoutCommand(line)
  if (words[0] === 'help') return help(line, words.slice(1))
  if (words.length === 1 && wordGroup(commands, words).length > 0 && asksHelp(argv)) return help(line, words)
  const { command, taken } = find(commands, words)
  const own = new Set(at.slice(0, taken))
  const call = parseCall(
    context,
    command,
    argv.filter((_, index) => !own.has(index)),
  )
  if (!call.flag('help')) return command.run(call)
  context.out(...commandHelp(command, pageOf(context)))
  return 0
}

/** Where to read on after wrong usage: the page of the command, if there is one. */
function whereToRead(line: CommandLine): string {
  const { words } = leadingWords(line.argv)
  const names = [words.slice(0, 2).join(' '), words[0]]
  const known = names.find((name) => commandsOf(line).some((command) => command.name === name))
  if (known === undefined) return "Run 'holdpoint --help' for the list of commands."
  return `Run 'holdpoint ${known} --help' for its options.`
}

function withoutCommand(line: CommandLine): number {
  const { context, groups, argv } = line
  if (argv.includes('--version')) {
    context.out(version())
    return 0
  }
  if (asksHelp(argv)) return help(line, [])
  const [stray] = argv
  if (stray !== undefined) throw new UsageError(`'${stray}' needs a command`)
  context.err(...globalHelp(groups, pageOf(context)))
  return 2
}

function help(line: CommandLine, words: readonly string[]): number {
  const { context, groups } = line
  const commands = commandsOf(line)
  const [first = ''] = words
  const group = wordGroup(commands, words)
  const page = pageOf(context)
  if (words.length === 0) context.out(...globalHelp(groups, page))
  else if (words.length === 1 && group.length > 0) context.out(...wordHelp(first, group, page))
  else context.out(...commandHelp(find(commands, words).command, page))
  return 0
}

function pageOf({ columns, style }: Context): Page {
  return { width: columns(), style }
}

function commandsOf({ groups }: CommandLine): Command[] {
  return groups.flatMap(({ commands }) => commands)
}

function asksHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h')
}

/** The commands of two words that begin with this one, unless it is a command itself. */
function wordGroup(commands: readonly Command[], [word]: readonly string[]): Command[] {
  if (commands.some(({ name }) => name === word)) return []
  return commands.filter(({ name }) => name.startsWith(`${word} `))
}

function find(commands: readonly Command[], words: readonly string[]): { command: Command; taken: number } {
  for (const taken of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, taken).join(' '))
    if (command) return { command, taken }
  }
  const group = wordGroup(commands, words)
  if (group.length === 0) throw new UsageError(`there is no command '${words[0]}'`)
  throw new UsageError(
    `'${words[0]}' is half a command: try ${group.map(({ name }) => `holdpoint ${name}`).join(', ')}`,
  )
}
