/** A variable in a string of the configuration: `${HOLDPOINT_NAME}`. */
const VARIABLE = /\$\{([^}]*)\}/g

/**
 * Fills variables into all strings. Only those whose names begin with HOLDPOINT_ are known: the proxy reads nothing else of its environment. What was filled in
 * counts as secret.
 */
export function withVariables(
  given: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  bad: (problem: string) => Error,
): { value: unknown; secrets: readonly string[] } {
  const secrets: string[] = []
  const fill = (text: string): string =>
    text.replace(VARIABLE, (whole, name: string) => {
      if (!name.startsWith('HOLDPOINT_')) throw bad(`${whole} is not a variable that begins with HOLDPOINT_`)
      const value = environment[name]
      if (value === undefined || value === '') throw bad(`the variable ${name} is not set`)
      secrets.push(value)
      return value
    })
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value)
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
  }
  return { value: walk(given), secrets }
}
