import { z } from 'zod'
import { pageQuery } from './records.ts'

/** The roles of callers. A caller without one sees only requests that name it. */
export const roles = ['reviewer', 'operator', 'admin', 'auditor', 'agent'] as const
/** The role of a caller. */
export type Role = (typeof roles)[number]

/** The caller, and what the page needs to know about this server. */
export const me = z.object({
  id: z.string(),
  tenant: z.string(),
  roles: z.array(z.string()),
  groups: z.array(z.string()),
  /** When the sign-in ends. Absent for a bearer token without an end. */
  expiresAt: z.string().exactOptional(),
  /** The undo window that decisions get unless they say otherwise. */
  undoSeconds: z.number(),
  /** Whether edits can be previewed here. */
  previews: z.boolean(),
  /** The server's time, for deadlines. */
  now: z.string(),
})
/** The caller. */
export type Me = z.infer<typeof me>

/** Signs in with a one-time code or a token that `auth` accepts. */
export const signIn = z.union([z.strictObject({ code: z.string() }), z.strictObject({ token: z.string() })])
/** Signs in. */
export type SignIn = z.infer<typeof signIn>

/** A sign-in of a person. */
const signedIn = z.object({
  id: z.string(),
  person: z.string(),
  roles: z.array(z.string()),
  createdAt: z.string(),
  expiresAt: z.string(),
  current: z.boolean(),
})
/** A sign-in of a person. */
export type SignedIn = z.infer<typeof signedIn>

/** Which sign-ins. `person`: only theirs; for admins, of anybody. */
export const sessionQuery = pageQuery.extend({ person: z.string().min(1).exactOptional() })
/** A page of sign-ins. */
export const sessionPage = z.object({ sessions: z.array(signedIn), next: z.string().exactOptional() })
/** A page of sign-ins. */
export type ApiSessionPage = z.infer<typeof sessionPage>

/** Why a call was refused. `request` shows the request as it is now, if the caller may see it. */
export const refusal = z.object({
  code: z.string(),
  detail: z.string(),
  request: z.unknown().exactOptional(),
  /** Problems of edited arguments or of a form, one for each. */
  problems: z.array(z.string()).exactOptional(),
})
/** Why a call was refused. */
export type ApiRefusal = z.infer<typeof refusal>
