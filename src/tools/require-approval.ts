/** Which tools of an MCP server need approval: all, none, or by name. Tools that are not named need it. */
export type RequireApproval =
  | 'always'
  | 'never'
  | { readonly always?: ToolNames; readonly never?: ToolNames }
  | { readonly [tool: string]: 'always' | 'never' }

type ToolNames = readonly string[] | { readonly toolNames: readonly string[] }

/** A parsed `requireApproval`. */
export interface ApprovalRules {
  /** The rule for tools that are not named. */
  readonly otherwise: 'always' | 'never'
  readonly named: ReadonlyMap<string, 'always' | 'never'>
}

/**
 * Parses `requireApproval`. A misspelt rule must not mean "never", so an unknown value throws the error that `fail`
 * creates.
 */
export function parseRequireApproval(value: unknown, fail: (problem: string) => Error): ApprovalRules {
  if (value === 'always' || value === 'never') return { otherwise: value, named: new Map() }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fail(`requireApproval must be 'always', 'never' or an object`)
  const entries = Object.entries(value)
  if (entries.length === 0) throw fail('requireApproval is empty: it names no tool')
  const named = new Map<string, 'always' | 'never'>()
  const name = (tool: string, rule: 'always' | 'never'): void => {
    if (named.has(tool)) throw fail(`requireApproval names "${tool}" twice`)
    named.set(tool, rule)
  }
  for (const [key, said] of entries) {
    if (said === 'always' || said === 'never') name(key, said)
    else if (key === 'always' || key === 'never') for (const tool of listOf(key, said, fail)) name(tool, key)
    else throw fail(`requireApproval.${key} must be 'always' or 'never'`)
  }
  return { otherwise: 'always', named }
}

/** Whether a tool needs approval. */
export function isReviewed({ otherwise, named }: ApprovalRules, tool: string): boolean {
  return (named.get(tool) ?? otherwise) === 'always'
}

function listOf(key: string, said: unknown, fail: (problem: string) => Error): string[] {
  let list = said
  if (typeof said === 'object' && said !== null && !Array.isArray(said)) {
    const unknown = Object.keys(said).find((one) => one !== 'toolNames')
    if (unknown !== undefined) throw fail(`requireApproval.${key} has no option "${unknown}"; there is toolNames`)
    list = (said as { toolNames?: unknown }).toolNames
  }
  if (!Array.isArray(list) || list.length === 0 || list.some((tool) => typeof tool !== 'string' || tool === ''))
    throw fail(`requireApproval.${key} must be an array of tool names, or { toolNames } with one`)
  return list as string[]
}
