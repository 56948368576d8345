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
    const others = entries.flatMap(withoutOurs)
    if (others.length > 0) merged[event] = others
  }
  for (const [event, entry] of Object.entries(hooks)) {
    const others = (merged[event] as JsonValue[] | undefined) ?? []
    merged[event] = [...others, entry]
  }
  return `${JSON.stringify({ ...rest, ...config, hooks: merged }, null, 2)}\n`
}

/** Takes the hooks of holdpoint out of the text of a configuration. Other hooks and settings stay. */
export function unmergeConfig(text: string): string {
  const { hooks, ...config } = parse(mergeConfig(text, { hooks: {} }))
  const isEmpty = !isObject(hooks) || Object.keys(hooks).length === 0
  return `${JSON.stringify(isEmpty ? config : { ...config, hooks }, null, 2)}\n`
}

/** An entry without the hooks of holdpoint. Somebody may have put others beside them. */
function withoutOurs(entry: JsonValue): JsonValue[] {
  const isOurs = (hook: JsonValue) => OURS.test(JSON.stringify(hook))
  if (!isOurs(entry)) return [entry]
  const others = isObject(entry) && Array.isArray(entry.hooks) ? entry.hooks.filter((hook) => !isOurs(hook)) : []
  return others.length > 0 ? [{ ...(entry as JsonObject), hooks: others }] : []
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
