import { z } from 'zod'

/** The default arguments of an agent that is called as a tool. */
export const agentInput: z.ZodObject<{ input: z.ZodString }> = z.object({ input: z.string() })

/** The arguments of a tool that takes none. */
export const noArgs: z.ZodObject<Record<never, never>> = z.object({})
