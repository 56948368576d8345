import { z } from 'zod'
import { lazy } from '../checks/lazy.ts'
import type { CallKey } from '../ids.ts'
import { jsonValue } from '../message.ts'

/** The version of an entry's shape. */
export const v = lazy(() => z.literal(1))
/** The key of a call. */
export const call = lazy(() => z.string() as unknown as z.ZodType<CallKey>)
/** Milliseconds since 1970, by the store's clock. */
export const time = lazy(() => z.number())

/** Model usage of a run. */
export const usage = lazy(() =>
  z.object({
    requests: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    totalTokens: z.number(),
  }),
)
/** Model usage of a run. */
export type Usage = z.infer<ReturnType<typeof usage>>

/** An agent of the graph: its id, and the fingerprint of its definition if names alone are ambiguous. */
export const agentRef = lazy(() =>
  z.object({
    id: z.string(),
    fingerprint: z.string().exactOptional(),
    version: z.string().exactOptional(),
  }),
)
/** An agent of the graph. */
export type AgentRef = z.infer<ReturnType<typeof agentRef>>

/** The result of a guardrail of an agent. */
export const guardrailResult = lazy(() =>
  z.object({
    guardrail: z.object({ type: z.enum(['input', 'output']), name: z.string() }),
    /** The id of the agent whose input or answer it checked. */
    agent: z.string(),
    output: z.object({ tripwireTriggered: z.boolean(), outputInfo: jsonValue().exactOptional() }),
  }),
)
/** The result of a guardrail of an agent: what it checked, and what it returned. */
export type GuardrailResult = z.infer<ReturnType<typeof guardrailResult>>
