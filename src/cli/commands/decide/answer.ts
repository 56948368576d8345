import type { Answers, HitlRequest } from '../../../index.ts'
import { decisionTypes } from '../../../protocol/decision.ts'
import { answerOptions, type Call, type Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { termsOf } from '../../decide/decide-call.ts'
import { outcomeLines } from '../../decide/outcome.ts'
import { timeText } from '../../render/time.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { findByShortId } from '../../seat/find-request.ts'
import type { Seat } from '../../seat/seat.ts'
import { withSeat } from '../../seat/with-seat.ts'

/** Answers a question of a tool: yes or no, or the fields of a form. */
export const answer: Command = {
  name: 'answer',
  summary: 'answer a question (yes or no) or fill in a form',
  usage: 'ID (yes | no | --set KEY=TEXT …) [--comment TEXT]',
  options: {
    set: {
      value: 'KEY=TEXT',
      multiple: true,
      help: 'the answer to one question of a form; repeat the key to choose several options',
    },
    ...answerOptions,
  },
  remote: true,
  positionals: { min: 1, max: 2 },
  examples: ['answer 3f9a yes', "answer 3f9a --set size=large --set 'note=Leave it at the door.'"],
  run: async (call) => {
    const terms = termsOf(call)
    const given = givenOf(call)
    const give = async (seat: Seat): Promise<number> => {
      const request = await findByShortId(seat, call.args[0] ?? '')
      const answered = await seat.answer(request, answerFor(request, given), terms)
      say(call, answered, request.status === 'decided')
      return 0
    }
    return withSeat(call, give, { writes: true })
  },
}

type Given = { kind: 'word'; value: boolean } | { kind: 'fields'; fields: readonly [key: string, text: string][] }

/** The answer as it was typed, checked before the store is opened. */
function givenOf(call: Call): Given {
  const [, word] = call.args
  const sets = call.texts('set')
  if (word !== undefined && sets.length > 0) throw new UsageError('answer takes yes or no, or --set, not both')
  if (word === undefined && sets.length === 0)
    throw new UsageError('answer needs yes or no, or --set KEY=TEXT for each question of a form')
  if (word !== undefined && word !== 'yes' && word !== 'no')
    throw new UsageError(`the answer must be yes or no, not '${word}'`)
  if (word !== undefined) return { kind: 'word', value: word === 'yes' }
  const fields = sets.map((set): [string, string] => {
    const at = set.indexOf('=')
    if (at < 1) throw new UsageError(`--set: '${set}' is not KEY=TEXT`)
    return [set.slice(0, at).trim(), set.slice(at + 1)]
  })
  return { kind: 'fields', fields }
}

function answerFor(request: HitlRequest, given: Given): boolean | Answers {
  switch (request.kind) {
    case 'approve':
      throw new UsageError(`${request.id} is about a call: ${decisionTypes.join(', ')} decide it`)
    case 'confirm':
      if (given.kind !== 'word') throw new UsageError(`${request.id} is answered with yes or no`)
      return given.value
    case 'ask':
      if (given.kind !== 'fields')
        throw new UsageError(`${request.id} is a form: give --set KEY=TEXT for each question`)
      return formOf(request, given.fields)
    default:
      return request.kind satisfies never
  }
}

function formOf({ questions = [] }: HitlRequest, fields: readonly [string, string][]): Answers {
  const answers = new Map<string, string | string[]>()
  for (const [key, text] of fields) {
    const several = questions.find((question) => question.key === key)?.multiSelect
    if (!several && answers.has(key)) throw new UsageError(`--set: ${key} is given twice`)
    answers.set(key, several ? [...(answers.get(key) ?? []), text] : text)
  }
  return Object.fromEntries(answers)
}

function say(call: Call, request: HitlRequest, before: boolean): void {
  const { context } = call
  if (call.flag('json')) return context.out(safeJson(request))
  const { answer: given } = request
  if (!given) return
  const who = visible(given.by.id)
  if (before) return context.out(`${who} answered the same ${timeText(given.at, context.now())}: nothing to do.`)
  context.out(...outcomeLines(context, { word: 'Answered', by: given.by.id, request }))
  context.out('The tool that asked goes on with it as soon as the process of the agent does.')
}
