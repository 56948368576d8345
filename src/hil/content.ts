import { requireKnown } from '../protocol/checks/known-options.ts'
import { HilContentError, InputInvalid } from '../protocol/errors/errors.ts'
import { interruptContent } from '../protocol/hil/hil.ts'
import { jsonProblem } from '../protocol/json/json.ts'

/** Refuses content that no client could show, before anything is sent. */
export function checkInterruptContent(content: unknown): void {
  checkJsonObject(content)
  const parsed = interruptContent().safeParse(content)
  if (parsed.success) return
  const issue = parsed.error.issues[0]
  throw new HilContentError(`${['content', ...(issue?.path ?? []).map(String)].join('.')}: ${issue?.message}`)
}

/** Refuses everything but a plain JSON object. */
export function checkJsonObject(content: unknown): void {
  const problem = jsonProblem(content, 'content')
  if (problem !== undefined) throw new HilContentError(problem)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new HilContentError('content must be an object.')
  }
}

/** Refuses a call without a session id. */
export function checkStream(what: string, stream: unknown): void {
  if (typeof stream === 'string' && stream !== '') return
  throw new InputInvalid(`${what} needs the option stream: the id of an open session.`)
}

/** Refuses unknown options and calls without `streams`. */
export function checkOptions(what: string, options: { streams?: unknown }, known: readonly string[]): void {
  requireKnown(what, options, known)
  if (typeof options?.streams !== 'object' || options.streams === null) {
    throw new InputInvalid(`${what} needs the option streams, such as memoryStreams().`)
  }
}
