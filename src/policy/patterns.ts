/** Finds the names and patterns (`*` stands for any characters) that fit a tool: exact names first, then longer patterns before shorter ones. */
export function compilePatterns(names: readonly string[]): (tool: string) => string[] {
  const exact = new Set(names.filter((name) => !name.includes('*')))
  const patterns = names
    .filter((name) => name.includes('*'))
    .sort((a, b) => b.length - a.length)
    .map((name) => ({ name, parts: name.split('*') }))
  return (tool) => [
    ...(exact.has(tool) ? [tool] : []),
    ...patterns.filter(({ parts }) => fits(parts, tool)).map(({ name }) => name),
  ]
}

/** Searches for each part once, from left to right. A regular expression could backtrack exponentially on a long name. */
function fits(parts: readonly string[], tool: string): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (tool.length < first.length + last.length || !tool.startsWith(first) || !tool.endsWith(last)) return false
  const middle = tool.slice(first.length, tool.length - last.length)
  let at = 0
  for (const part of parts.slice(1, -1)) {
    const found = middle.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}
