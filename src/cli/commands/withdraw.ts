import { type HitlRequest, openDesk } from '../../index.ts'
import { answerOptions, type Call, type Command } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { actorOf } from '../decide/actor.ts'
import { outcomeLines } from '../decide/outcome.ts'
import { safeJson } from '../render/visible.ts'
import { findByShortId } from '../store/find-request.ts'
import { withStore } from '../store/open-store.ts'

/** Takes a decision back. */
export const withdraw: Command = {
  name: 'withdraw',
  summary: 'take your decision back before it takes effect',
  about:
    'The request opens again. Only the person who decided can withdraw a decision, and only until its call starts.',
  usage: 'ID [--as NAME]',
  options: { as: answerOptions.as },
  positionals: { min: 1, max: 1 },
  examples: ['approve 3f9a --undo 30s', 'withdraw 3f9a'],
  run: async (call) => {
    const by = actorOf(call)
    return withStore(call, async (store) => {
      const desk = openDesk({ store })
      const decided = await findByShortId(desk, call.args[0] ?? '', 'decided')
      requireDecision(decided)
      await desk.withdraw(decided.id, by)
      say(call, await desk.get(decided.id), by.id)
      return 0
    })
  },
}

/** The desk refuses these too; here the message can say what the request is instead. */
function requireDecision({ id, status, answer }: HitlRequest): void {
  if (answer)
    throw new CliError('nothing_to_withdraw', `Request ${id} is a question, and an answer takes effect at once.`)
  if (status !== 'decided')
    throw new CliError('nothing_to_withdraw', `Request ${id} is ${status}: there is no decision to take back.`)
}

function say(call: Call, request: HitlRequest, author: string): void {
  const { context } = call
  if (call.flag('json')) return context.out(safeJson(request))
  context.out(...outcomeLines(context, { word: 'Withdrawn', by: author, request }))
  context.out(`The request is open again, at version ${request.version}.`)
}
