import { isDuration, LONGEST_SECONDS } from './checks/durations.ts'
import { AnswerInvalid, DecisionInvalid, InputInvalid } from './errors/errors.ts'
import type { JsonObject, JsonValue } from './json/json.ts'
import { type Question, question as questionSchema } from './request.ts'

/** Answers to a form: a string for each question, or an array of strings for a multi-select question. */
export type Answers = { [key: string]: string | string[] }

/** Checks a form before it is shown: its keys must be unique and its options not empty. */
export function checkQuestions(value: unknown): Question[] {
  if (!Array.isArray(value) || value.length === 0) throw new DecisionInvalid('ask needs at least one question.')
  const questions = value.map((item, index) => {
    const parsed = questionSchema().safeParse(item)
    if (!parsed.success) {
      throw new DecisionInvalid(
        `questions[${index}]: ${parsed.error.issues[0]?.path.join('.')} ${parsed.error.issues[0]?.message}`,
      )
    }
    const { options, ...rest } = parsed.data
    return options && options.length > 0 ? { ...rest, options } : rest
  })
  const twice = questions.find((item, index) => questions.findIndex((other) => other.key === item.key) !== index)
  if (twice) throw new DecisionInvalid(`Two questions have the key "${twice.key}".`)
  return questions
}

/** Checks the answer to a `confirm` or an `ask`. Throws `AnswerInvalid`; the request stays open. */
export function checkAnswer(
  asked: { questionId: string; kind: 'confirm' | 'ask'; questions?: Question[] },
  answer: unknown,
): JsonValue {
  if (asked.kind === 'confirm') {
    if (typeof answer !== 'boolean')
      throw new AnswerInvalid(asked.questionId, 'a confirm is answered with true or false')
    return answer
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new AnswerInvalid(asked.questionId, 'a form is answered with an object, one entry for each question')
  }
  const given = answer as JsonObject
  const questions = asked.questions ?? []
  const unknown = Object.keys(given).find((key) => !questions.some((item) => item.key === key))
  if (unknown !== undefined) throw new AnswerInvalid(asked.questionId, `there is no question "${unknown}"`)
  const checked: Answers = {}
  for (const item of questions) {
    const value = Object.hasOwn(given, item.key) ? given[item.key] : undefined
    const problem = answerProblem(item, value)
    if (problem) throw new AnswerInvalid(asked.questionId, `${item.key}: ${problem}`)
    if (value !== undefined)
      Object.defineProperty(checked, item.key, { value, enumerable: true, writable: true, configurable: true })
  }
  return checked
}

function answerProblem(item: Question, value: JsonValue | undefined): string | undefined {
  const required = item.required ?? true
  if (value === undefined) return required ? 'an answer is required' : undefined
  const values = item.multiSelect ? value : [value]
  if (!Array.isArray(values) || !values.every((one) => typeof one === 'string')) {
    return item.multiSelect ? 'an array of strings is needed' : 'a string is needed'
  }
  if (required && (values.length === 0 || values.every((one) => one === ''))) return 'an answer is required'
  const { options } = item
  if (!options || options.some((option) => option.allowInput)) return undefined
  const outside = values.find((one) => !options.some((option) => option.value === one) && !(one === '' && !required))
  return outside === undefined ? undefined : `${JSON.stringify(outside)} is not one of the options`
}

/** Checks a question's timeout. `null`: no timeout. */
export function checkTimeout(seconds: number | null): number | null {
  if (seconds !== null && !isDuration(seconds)) {
    throw new InputInvalid(
      `timeoutSeconds must be null (no timeout) or a number of seconds from 0 to ${LONGEST_SECONDS}.`,
    )
  }
  return seconds
}
