import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an `Authorization` header has the bearer token for metrics. How long it takes tells nothing about the token. */
export function hasMetricsToken(header: string | undefined, token: string): boolean {
  const given = /^bearer +(.+?) *$/i.exec(header ?? '')?.[1]
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
