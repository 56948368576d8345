/** What a tool returned, for one line: a flat object as its names and values, anything else as it is. */
export function resultText(text: string): string {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.some(([, each]) => typeof each === 'object' && each !== null)) return text
  return entries.map(([name, each]) => `${name} ${String(each)}`).join(' · ')
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
