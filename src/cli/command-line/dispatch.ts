import { commands } from '../commands/index.ts'
import { visible } from '../render/visible.ts'
import type { Command } from './command.ts'
import type { Context } from './context.ts'
import { errorJson, errorLine, exitCodeOf, UsageError } from './errors.ts'
import { commandHelp, globalHelp, groupHelp } from './help.ts'
import { leadingWords, parseCall } from './parse.ts'
import { version } from './version.ts'

/** Runs a command line and resolves to its exit code. Nothing is thrown: a failure is printed, in one line. */
export async function dispatch(context: Context, argv: readonly string[]): Promise<number> {
  try {
    return await run(context, argv)
  } catch (error) {
    context.err(argv.includes('--json') ? errorJson(error) : errorLine(error))
    if (error instanceof UsageError) context.err("Run 'holdpoint --help' to see what there is.")
    if ((context.settings.debug || argv.includes('--debug')) && error instanceof Error) {
      context.err(...visibleLines(error.stack ?? ''))
    }
    return exitCodeOf(error)
  }
}

async function run(context: Context, argv: readonly string[]): Promise<number> {
  const { words, at } = leadingWords(argv)
  if (words.length === 0) return withoutCommand(context, argv)
  if (words[0] === 'help') return help(context, words.slice(1))
  if (words.length === 1 && partsOf(words).length > 0 && asksHelp(argv)) return help(context, words)
  const { command, taken } = find(words)
  const own = new Set(at.slice(0, taken))
  const call = parseCall(
    context,
    command,
    argv.filter((_, index) => !own.has(index)),
  )
  if (!call.flag('help')) return command.run(call)
  context.out(...commandHelp(command))
  return 0
}

function withoutCommand(context: Context, argv: readonly string[]): number {
  if (argv.includes('--version')) {
    context.out(version())
    return 0
  }
  if (asksHelp(argv)) return help(context, [])
  const [stray] = argv
  if (stray !== undefined) throw new UsageError(`'${stray}' needs a command`)
  context.err(...globalHelp(commands))
  return 2
}

function help(context: Context, words: readonly string[]): number {
  const parts = partsOf(words)
  if (words.length === 0) context.out(...globalHelp(commands))
  else if (words.length === 1 && parts.length > 0) context.out(...groupHelp(words[0] ?? '', parts))
  else context.out(...commandHelp(find(words).command))
  return 0
}

function asksHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h')
}

/** The commands that begin with a word which is none by itself. */
function partsOf([word]: readonly string[]): Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `))
}

function find(words: readonly string[]): { command: Command; taken: number } {
  for (const taken of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, taken).join(' '))
    if (command) return { command, taken }
  }
  const parts = partsOf(words)
  if (parts.length > 0)
    throw new UsageError(`say what to do: ${parts.map(({ name }) => `holdpoint ${name}`).join(', ')}`)
  throw new UsageError(`there is no command '${words[0]}'`)
}

function visibleLines(text: string): string[] {
  return text.split('\n').map(visible)
}
