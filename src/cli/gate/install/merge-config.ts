import type { JsonObject, JsonValue } from '../../../index.ts'
import { CliError } from '../../command-line/errors.ts'
import { isObject } from '../hosts/fields.ts'

/** Marks the hooks that this command wrote, so that the next install replaces them. */
const OURS = / gate --host (?:claude-code|codex|gemini|cursor|copilot)\b/

/** Puts hooks into the text of a configuration. Other hooks and settings stay; earlier ones of holdpoint are replaced. */
export function mergeConfig(
  text: string | undefined,
  { hooks, rest = {} }: { hooks: Readonly<Record<string, JsonObject>>; rest?: JsonObject | undefined },
): string {
  const config = text === undefined || text.trim() === '' ? {} : parse(text)
  const known = config.hooks ?? {}
  if (!isObject(known)) throw unreadable('its hooks are not an object')
  const merged: JsonObject = {}
  for (const [event, entries] of Object.entries(known)) {
    if (!Array.isArray(entries)) throw unreadable(`its hooks of ${event} are not an array`)
    const others = entries.filter((entry) => !OURS.test(JSON.stringify(entry)))
    if (others.length > 0) merged[event] = others
  }
  for (const [event, entry] of Object.entries(hooks)) {
    const others = (merged[event] as JsonValue[] | undefined) ?? []
    merged[event] = [...others, entry]
  }
  return `${JSON.stringify({ ...rest, ...config, hooks: merged }, null, 2)}\n`
}

function parse(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw unreadable('it is not JSON')
  }
  if (!isObject(value)) throw unreadable('it is not a JSON object')
  return value
}

function unreadable(problem: string): CliError {
  return new CliError(
    'config_unreadable',
    `The configuration of the host cannot be changed: ${problem}. --print shows what belongs in it.`,
  )
}
