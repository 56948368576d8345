import type { Display, DisplayField, TitlePart } from '../../protocol/display.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { type Guess, guessField, rankOf } from './guess-field.ts'
import { type Leaf, leavesOf, uncovered } from './leaves.ts'
import { sentenceOf } from './words.ts'

/** A call of a tool. */
export interface ShownCall {
  readonly toolName: string
  readonly args: JsonObject
  /** The names of the tool's parameters in its own order. Default: by name. It is never the order in which the model wrote them. */
  readonly order?: readonly string[]
}

/** How a call is shown whose tool says nothing: by the names and values of its arguments. Never by words of the model. */
export function guessDisplay(call: ShownCall): Display {
  const guesses = guessAll(leavesOf(call.args), call)
  const environment = guessEnvironment(call.args)
  return {
    title: guessTitle(call.toolName, guesses),
    fields: guesses.map(({ field }) => field),
    ...(environment === undefined ? {} : { environment }),
    guessed: true,
  }
}

/** Fields for the arguments that a display has no field for. */
export function guessRest(fields: readonly DisplayField[], call: ShownCall): DisplayField[] {
  const rest = uncovered(
    call.args,
    fields.map(({ path }) => path),
  )
  return guessAll(rest, call).map(({ field }) => field)
}

/** Money, recipients, places, commands, ids, enums, free text, flags; secrets last. */
function guessAll(leaves: readonly Leaf[], { args, order = [] }: ShownCall): Guess[] {
  // Of several, nobody knows which one the tool reads.
  const [currency, ...others] = Object.keys(args).filter((key) => key.toLowerCase() === 'currency')
  const known = others.length === 0 && currency !== undefined && typeof args[currency] === 'string'
  const place = ({ field: { path } }: Guess) => {
    const at = order.findIndex((name) => path === name || path.startsWith(`${name}.`))
    return at < 0 ? order.length : at
  }
  return leaves
    .map(({ path, value }) => guessField(path, value, known ? currency : undefined))
    .sort((a, b) => rankOf(a) - rankOf(b) || place(a) - place(b) || (a.field.path < b.field.path ? -1 : 1))
}

/** The tool's name, then the amount and the recipient; without those the first argument that says what it is about. */
function guessTitle(toolName: string, guesses: readonly Guess[]): TitlePart[] {
  const find = (stake: Guess['stake']) => guesses.find((guess) => guess.stake === stake)
  const name = sentenceOf(toolName)
  const [money, recipient] = [find('money'), find('recipient')]
  const parts: TitlePart[] = [name]
  if (money) parts.push(' ', { path: money.field.path })
  if (recipient) parts.push(' to ', { path: recipient.field.path })
  if (parts.length > 1) return parts
  const first = find('place') ?? find('command') ?? find('id') ?? find('enum')
  return first ? [name, ' ', { path: first.field.path }] : parts
}

const ENVIRONMENTS = ['environment', 'env', 'stage']

function guessEnvironment(args: JsonObject): string | undefined {
  const found = Object.entries(args).find(([key]) => ENVIRONMENTS.includes(key.toLowerCase()))?.[1]
  return typeof found === 'string' && found.length > 0 && found.length <= 40 ? found : undefined
}
