import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** How long a secret is used after it was replaced. */
export const OVERLAP_MS = 24 * 60 * 60 * 1000

/** A secret that messages are signed with. `until`: it was replaced, and counts until then. */
export const secret = z.object({ secret: z.string(), until: z.number().exactOptional() })
/** A secret that messages are signed with. */
export type Secret = z.infer<typeof secret>

/** A new secret. */
export function newSecret(): Secret {
  return { secret: PREFIX + randomBytes(SECRET_BYTES).toString('base64') }
}

/** The secrets after a rotation: the new one first, and those that still count. */
export function rotated(secrets: readonly Secret[], now: number, fresh: Secret = newSecret()): Secret[] {
  const kept = inForce(secrets, now).map(({ secret: value, until = now + OVERLAP_MS }) => ({ secret: value, until }))
  return [fresh, ...kept]
}

/** The headers of a message, as Standard Webhooks names them: signed with every secret that is in force. */
export function signedHeaders(
  secrets: readonly Secret[],
  { id, now, body }: { id: string; now: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = inForce(secrets, now).map((each) => sign(each, `${id}.${timestamp}.${body}`))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

function inForce(secrets: readonly Secret[], now: number): Secret[] {
  return secrets.filter(({ until = Number.POSITIVE_INFINITY }) => until > now)
}

function sign({ secret: value }: Secret, content: string): string {
  const key = Buffer.from(value.slice(PREFIX.length), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
