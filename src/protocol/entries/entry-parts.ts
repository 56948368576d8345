import { z } from 'zod'
import type { CallKey } from '../ids.ts'

/** The version of a shape. */
export const v = z.literal(1)
/** Which call. */
export const call = z.string() as unknown as z.ZodType<CallKey>
/** Milliseconds since 1970, the store's. */
export const time = z.number()

/** What a run used of a model. */
export const usage = z.object({
  requests: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: z.number(),
})
/** What a run used of a model. */
export type Usage = z.infer<typeof usage>

/** Which agent of the graph: its identity, and the fingerprint of its definition where names alone do not tell agents apart. */
export const agentRef = z.object({
  id: z.string(),
  fingerprint: z.string().exactOptional(),
  version: z.string().exactOptional(),
})
/** Which agent of the graph. */
export type AgentRef = z.infer<typeof agentRef>
