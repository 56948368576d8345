import { z } from 'zod'
import { lazy } from '../checks/lazy.ts'
import { jsonObject, jsonValue } from '../message.ts'

/** Asks what an edited call would do. */
export const previewBody = lazy(() =>
  z.strictObject({
    version: z.number().int(),
    args: jsonObject(),
    toolName: z.string().exactOptional(),
  }),
)
/** An edit to preview. */
export type PreviewBody = z.infer<ReturnType<typeof previewBody>>
/** What an edited call would do. `problems` say why it cannot run. */
export const previewResult = lazy(() =>
  z.object({
    digest: z.string().exactOptional(),
    preview: jsonValue().exactOptional(),
    problems: z.array(z.string()),
  }),
)
/** What an edited call would do. */
export type PreviewResult = z.infer<ReturnType<typeof previewResult>>
