import { openRequests } from '../../core/queries.ts'
import type { Channel } from '../../ports/channel.ts'
import { type AnswerPlace, answerAll, type GivenAnswers, readAnswers } from '../answers/answer-all.ts'
import { nameOf } from '../answers/answers.ts'
import type { ShownRequest } from '../answers/shown.ts'

/** Where the answers of a thread go: its store, or its channel. */
interface ThreadAnswerPlace extends AnswerPlace {
  readonly channel: Channel | undefined
}

/** Which method was called, and what had been shown when it was. */
interface GivenTo {
  readonly what: string
  readonly requests: readonly ShownRequest[] | undefined
}

/** Stores the answers that `thread.respond` was given, all or none. */
export async function answerThread(place: ThreadAnswerPlace, given: GivenAnswers, to: GivenTo): Promise<void> {
  if (await answerOnChannel(place, given, to)) return
  await answerAll(place, given, to)
}

/** Answers a question that only a channel without durability knows: one that a body or the application asked there. */
async function answerOnChannel(
  { channel, journal, shown: seen }: ThreadAnswerPlace,
  given: GivenAnswers,
  { what, requests }: GivenTo,
): Promise<boolean> {
  const shown = channel?.pending
  const [answer, ...more] = readAnswers(what, given)
  if (!channel || !shown || channel.durable || !answer || more.length > 0) return false
  const name = nameOf(answer) ?? (given.unbound ? shown.id : requests?.[0]?.id)
  if (name !== shown.id && name !== shown.questionId) return false
  if (openRequests(journal.state).some(({ opened }) => opened.id === shown.id)) return false
  if (nameOf(answer) === null) seen.use([{ id: shown.id, version: shown.version }])
  await channel.answer(shown.questionId, answer.answer ?? answer.decision, { by: given.by ?? 'local' })
  return true
}
