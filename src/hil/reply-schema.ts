import { HilReplyInvalid } from '../protocol/errors/errors.ts'
import type { HilReply } from '../protocol/hil/hil.ts'

/** A Standard Schema (zod, valibot, arktype, …) that a reply must fit. */
export interface ReplySchema<TOutput = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<TOutput> | Promise<Validated<TOutput>>
    readonly types?: { readonly input: unknown; readonly output: TOutput } | undefined
  }
}

type Validated<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly PathPart[] | undefined }[] }

type PathPart = PropertyKey | { readonly key: PropertyKey }

/** Returns the schema's output for a reply. Throws `HilReplyInvalid`, which carries the reply, if it does not fit. */
export async function fitReply<TOutput>(
  schema: ReplySchema<TOutput>,
  { reply, ...question }: { stream: string; messageId: string; reply: HilReply },
): Promise<TOutput> {
  const validated = await schema['~standard'].validate(reply)
  if (validated.issues === undefined) return validated.value
  const problems = validated.issues.map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    return place === '' ? message : `${place}: ${message}`
  })
  throw new HilReplyInvalid(question, reply, problems)
}
