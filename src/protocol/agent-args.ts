import { z } from 'zod'
import { lazy } from './checks/lazy.ts'

/** The default arguments of an agent that is called as a tool. */
export type AgentInput = z.ZodObject<{ input: z.ZodString }>
/** The default arguments of an agent that is called as a tool. */
export const agentInput = lazy((): AgentInput => z.object({ input: z.string() }))

/** The arguments of a tool that takes none. */
export type NoArgs = z.ZodObject<Record<never, never>>
/** The arguments of a tool that takes none. */
export const noArgs = lazy((): NoArgs => z.object({}))
