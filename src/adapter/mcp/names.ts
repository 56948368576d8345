import { createHash } from 'node:crypto'

/** The longest tool name that providers accept. */
const MAX = 64

/**
 * The name of a server's tool for models: `namespace__tool`, in characters that every provider accepts. A name that
 * does not fit is cut and gets a hash suffix, so that two tools never share a name.
 */
export function modelName(namespace: string, tool: string): string {
  const plain = `${namespace}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`
  if (plain === `${namespace}__${tool}` && plain.length <= MAX) return plain
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, 8)
  return `${plain.slice(0, MAX - mark.length - 1)}_${mark}`
}

/** The name for people and policies: `namespace.tool`, if it is valid. */
export function policyName(namespace: string, tool: string): string | undefined {
  const name = `${namespace}.${tool}`
  return /^[A-Za-z0-9_.:/-]{1,128}$/.test(name) ? name : undefined
}
