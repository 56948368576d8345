import type { IncomingMessage } from 'node:http'

/** A header as `Headers` has it: every value counts, also where `incoming.headers` keeps the first only. */
export function rawHeader({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string | null {
  const wanted = name.toLowerCase()
  let value: string | null = null
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i] as string
    if (each.length !== wanted.length || each.toLowerCase() !== wanted) continue
    const given = rawHeaders[i + 1] as string
    value = value === null ? given : `${value}${wanted === 'cookie' ? '; ' : ', '}${given}`
  }
  return value
}
