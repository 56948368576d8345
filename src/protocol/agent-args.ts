import { z } from 'zod'

/** What an agent that is called as a tool gets, unless it says otherwise. */
export const agentInput: z.ZodObject<{ input: z.ZodString }> = z.object({ input: z.string() })

/** The arguments of a tool that takes none. */
export const noArgs: z.ZodObject<Record<never, never>> = z.object({})
