import { HilContentError } from '../../protocol/errors/errors.ts'
import { type HilMessage, type HilReply, hilMessage, hilReply } from '../../protocol/hil/hil.ts'
import { jsonProblem } from '../../protocol/json/json.ts'
import { isUsualMessage, isUsualReply } from './usual-message.ts'

/** Throws unless the value is a message. A message is stored as it is, with all its members. */
export function checkMessage(message: HilMessage): void {
  if (isUsualMessage(message)) return
  const problem = jsonProblem(message, 'message') ?? complaint(hilMessage().safeParse(message))
  if (problem !== undefined) throw new HilContentError(problem)
}

/** Throws unless the value is a reply. */
export function checkReply(reply: HilReply): void {
  if (isUsualReply(reply)) return
  const problem = jsonProblem(reply, 'reply')
  if (problem !== undefined) throw new HilContentError(problem)
  if (!hilReply().safeParse(reply).success) throw new HilContentError('a reply is a string or an object.')
}

/** The first problem that a schema found, if any. */
function complaint(parsed: ReturnType<ReturnType<typeof hilMessage>['safeParse']>): string | undefined {
  if (parsed.success) return undefined
  const issue = parsed.error.issues[0]
  return issue ? `${['message', ...issue.path.map(String)].join('.')}: ${issue.message}` : 'it is not a message'
}
