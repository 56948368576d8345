/**
 * Applies a diff. Its lines begin with a space (kept), `-` (removed) or `+` (added), and `@@` separates hunks. Each hunk is located by its
 * kept and removed lines. A diff that does not match the text throws and changes nothing.
 */
export function applyDiff(text: string, diff: string): string {
  const lines = text.split('\n')
  let from = 0
  for (const place of diff.split(/^@@.*\n?/m).filter((part) => part !== '')) {
    const change = place.replace(/\n$/, '').split('\n')
    const wrong = change.find((line) => !/^[ +-]/.test(line) && line !== '')
    if (wrong !== undefined) throw new Error(`this is not a line of a diff: ${wrong}`)
    const before = change.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
    const after = change.filter((line) => !line.startsWith('-')).map((line) => line.slice(1))
    const at = find(lines, before, from)
    if (at < 0) throw new Error(`these lines are not in the file:\n${before.join('\n')}`)
    lines.splice(at, before.length, ...after)
    from = at + after.length
  }
  return lines.join('\n')
}

function find(lines: readonly string[], wanted: readonly string[], from: number): number {
  for (let at = from; at + wanted.length <= lines.length; at++)
    if (wanted.every((line, index) => lines[at + index] === line)) return at
  return -1
}
