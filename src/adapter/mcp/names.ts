import { createHash } from 'node:crypto'

/** What providers take as the name of a tool. */
const MAX = 64

/**
 * The name of a server's tool for models: `namespace__tool`, in characters that every provider takes. A name that does not fit is cut and
 * gets a few digits of its hash, so that two tools never become one.
 */
export function modelName(namespace: string, tool: string): string {
  const plain = `${namespace}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`
  if (plain === `${namespace}__${tool}` && plain.length <= MAX) return plain
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, 8)
  return `${plain.slice(0, MAX - mark.length - 1)}_${mark}`
}

/** The same for people and policies, where it can be said: `namespace.tool`. */
export function policyName(namespace: string, tool: string): string | undefined {
  const name = `${namespace}.${tool}`
  return /^[A-Za-z0-9_.:/-]{1,128}$/.test(name) ? name : undefined
}
