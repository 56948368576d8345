import { z } from 'zod'
import { jsonObject, jsonValue } from '../message.ts'

/** Asks what an edited call would do. */
export const previewBody = z.strictObject({
  version: z.number().int(),
  args: jsonObject,
  toolName: z.string().exactOptional(),
})
/** What an edited call would do. `problems` say why it cannot run. */
export const previewResult = z.object({
  digest: z.string().exactOptional(),
  preview: jsonValue.exactOptional(),
  problems: z.array(z.string()),
})
/** What an edited call would do. */
export type PreviewResult = z.infer<typeof previewResult>
