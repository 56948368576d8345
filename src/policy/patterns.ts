/** Finds the names and patterns (`*` stands for any text) that fit a tool: exact names first, then longer patterns before shorter ones. */
export function compilePatterns(names: readonly string[]): (tool: string) => string[] {
  const exact = new Set(names.filter((name) => !name.includes('*')))
  const patterns = names
    .filter((name) => name.includes('*'))
    .sort((a, b) => b.length - a.length)
    .map((name) => ({ name, regex: new RegExp(`^${name.split('*').map(escapeRegex).join('.*')}$`, 's') }))
  return (tool) => [
    ...(exact.has(tool) ? [tool] : []),
    ...patterns.filter(({ regex }) => regex.test(tool)).map(({ name }) => name),
  ]
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
