import { guessDisplay, guessRest, type ShownCall } from '../../../core/display/guess.ts'
import { warn } from '../../../ports/warnings.ts'
import { lazy } from '../../../protocol/checks/lazy.ts'
import { isRecord, keyProblem } from '../../../protocol/checks/returned.ts'
import {
  type Display,
  type DisplayField,
  displayField,
  type FieldFormat,
  type TitlePart,
} from '../../../protocol/display.ts'
import { messageOf, ToolInvalid } from '../../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, wellFormed } from '../../../protocol/json/json.ts'

/** How one argument is shown: its format, or the format with more. */
type FieldOptions =
  | FieldFormat
  | {
      format: FieldFormat
      /** Default: the name of the argument. */
      label?: string
      /** Of `money`: an ISO 4217 code such as `EUR`, or the argument that has it. */
      currency?: string | { path: string }
      /** Of `money`: `minor` counts cents. Default `major`. */
      unit?: 'minor' | 'major'
    }

/** How calls of a tool are shown. It is not part of the tool's definition: changing it voids no approval and no grant. */
export interface DisplayOptions<TArgs = JsonObject> {
  /** The headline, with arguments in braces: `Refund {amount} to {to}`. `{{` is a brace. Default: guessed. */
  title?: string
  /** Arguments by name (or path, such as `customer.email`), in the order in which people read them. Others follow. */
  fields?: { readonly [path: string]: FieldOptions }
  /** What the call touches, such as `production`. */
  environment?: string | ((args: TArgs) => string)
  /** Who or what is affected, such as `1 customer`. */
  affected?: string | ((args: TArgs) => string)
}

type TextRule = string | ((args: JsonObject) => unknown)

/** The checked display of a tool. */
export interface ToolDisplay {
  readonly title: readonly TitlePart[] | undefined
  readonly fields: readonly DisplayField[]
  readonly environment: TextRule | undefined
  readonly affected: TextRule | undefined
}

const KEYS = ['title', 'fields', 'environment', 'affected']
const FORMATS = lazy(() => displayField().shape.format.options)
const LONGEST_TEXT = 200

/** Checks the option `display`. Throws `ToolInvalid`: a headline with a placeholder that no call can fill would be found by nobody but its readers. */
export function checkDisplay(name: string, options: unknown, schema: JsonObject): ToolDisplay {
  const fail = (problem: string): never => {
    throw new ToolInvalid(name, `its display ${problem}`)
  }
  if (!isRecord(options)) return fail(`must be an object with ${KEYS.join(', ')}`)
  const unknown = keyProblem(options, KEYS)
  if (unknown) fail(`has an unknown key: ${unknown}`)
  const { title, fields = {}, environment, affected } = options
  if (title !== undefined && (typeof title !== 'string' || title.trim() === ''))
    fail('must have a title that is a string')
  const parts = title === undefined ? undefined : titleParts(title as string, fail)
  if (!isRecord(fields)) fail('must have fields that are an object')
  const shown = Object.entries(fields as object).map(([path, field]) => toField(path, field, fail))
  const paths = [
    ...(parts ?? []).flatMap((part) => (typeof part === 'string' ? [] : [part.path])),
    ...shown.flatMap(({ path, currency }) => [path, ...(typeof currency === 'object' ? [currency.path] : [])]),
  ]
  for (const path of paths) if (!isParameter(schema, path.split('.'))) fail(`names "${path}", which is not a parameter`)
  for (const [key, rule] of Object.entries({ environment, affected })) {
    if (rule !== undefined && typeof rule !== 'string' && typeof rule !== 'function')
      fail(`must have ${key} as a string or a function`)
  }
  return { title: parts, fields: shown, environment: environment as TextRule, affected: affected as TextRule }
}

/** `{{` and `}}` are braces. */
function titleParts(title: string, fail: (problem: string) => never): TitlePart[] {
  const parts: TitlePart[] = []
  const add = (text: string) => {
    const last = parts.at(-1)
    if (typeof last === 'string') parts[parts.length - 1] = last + text
    else parts.push(text)
  }
  for (const [piece] of title.matchAll(/\{\{|\}\}|\{[^{}]*\}|[^{}]+|[{}]/g)) {
    if (piece === '{{' || piece === '}}') add(piece.charAt(0))
    else if (piece === '{' || piece === '}') fail(`has a title with a single "${piece}"; write it twice for a brace`)
    else if (!piece.startsWith('{')) add(piece)
    else if (piece.slice(1, -1).trim() === '') fail('has a title with an empty placeholder')
    else parts.push({ path: piece.slice(1, -1).trim() })
  }
  return parts
}

function toField(path: string, given: unknown, fail: (problem: string) => never): DisplayField {
  const field = isRecord(given) ? given : { format: given }
  const unknown = keyProblem(field, ['format', 'label', 'currency', 'unit'])
  if (unknown) fail(`has a field "${path}" with an unknown key: ${unknown}`)
  if (!FORMATS().includes(field.format as FieldFormat))
    fail(`has a field "${path}" with an unknown format; there are ${FORMATS().join(', ')}`)
  const { currency, unit, format } = field
  if ((currency !== undefined || unit !== undefined) && format !== 'money')
    fail(`has a field "${path}" with a currency or unit, which are for the format money`)
  if (typeof currency === 'string' && !/^[A-Z]{3}$/.test(currency))
    fail(`has a field "${path}" whose currency is not an ISO 4217 code such as EUR`)
  const parsed = displayField().safeParse({ path, ...field })
  return parsed.success
    ? parsed.data
    : fail(`has a field "${path}" that cannot be used: ${parsed.error.issues[0]?.message}`)
}

/** Whether calls can have an argument at a path, as far as the schema says. */
function isParameter(schema: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined || !isRecord(schema)) return true
  const { properties, items, additionalProperties } = schema
  if (schema.type === 'array' || items !== undefined)
    return (step === 'length' && rest.length === 0) || (/^\d+$/.test(step) && isParameter(items, rest))
  if (!isRecord(properties)) return schema.type === undefined || schema.type === 'object'
  if (Object.hasOwn(properties, step)) return isParameter(properties[step], rest)
  const dotted = rest.length > 0 && Object.keys(properties).some((key) => key.startsWith(`${step}.`))
  return dotted || (additionalProperties !== undefined && additionalProperties !== false)
}

/** How one call is shown, with a field for every argument. What fails in the tool's own functions is left out with a warning: it blocks nothing. */
export function resolveDisplay(display: ToolDisplay | undefined, call: ShownCall): Display {
  const guessed = guessDisplay(call)
  if (!display) return guessed
  const { title = guessed.title, fields } = display
  const environment = textOf('environment', display.environment, call) ?? guessed.environment
  const affected = textOf('affected', display.affected, call)
  return {
    title: [...title],
    fields: [...fields, ...guessRest(fields, call)],
    ...(environment === undefined ? {} : { environment }),
    ...(affected === undefined ? {} : { affected }),
  }
}

function textOf(what: string, rule: TextRule | undefined, { toolName, args }: ShownCall): string | undefined {
  if (rule === undefined || typeof rule === 'string') return rule
  const failed = (problem: string): undefined => {
    warn('display_failed', `The ${what} of the display of tool "${toolName}" ${problem}. It is not shown.`)
  }
  try {
    const text = rule(cloneJson(args))
    if (typeof text !== 'string' || text === '') return failed('did not return a string')
    return wellFormed([...text].slice(0, LONGEST_TEXT).join(''))
  } catch (error) {
    return failed(`threw: ${messageOf(error)}`)
  }
}
