import type { RequestItem } from 'holdpoint/client'

/** A value that a person changed before the call ran. */
export interface EditChange {
  path: string
  from?: unknown
  to?: unknown
}

/** How the edited arguments differ from those that were asked for. */
export function changesOf({ decided, args, argsInput, toolName }: RequestItem): EditChange[] {
  if (decided?.decision.type !== 'edit') return []
  const { args: edited, toolName: other } = decided.decision
  const tool = other === undefined || other === toolName ? [] : [{ path: 'tool', from: toolName, to: other }]
  return [...tool, ...compare('', argsInput ?? args ?? {}, edited)]
}

function compare(path: string, from: unknown, to: unknown): EditChange[] {
  if (isObject(from) && isObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    return keys.flatMap((key) => compare(path === '' ? key : `${path}.${key}`, own(from, key), own(to, key)))
  }
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ path, from, to }]
}

const own = (object: Record<string, unknown>, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
