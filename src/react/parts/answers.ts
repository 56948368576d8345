import type { Question } from '../../protocol/request.ts'

/** What a person has filled in for one question. */
export interface Filled {
  /** Values of options. */
  chosen: readonly string[]
  /** Own words: the answer to a question without options, or what an option that takes input stands for. */
  text: string
}

/** Nothing is filled in beforehand. */
export const NOTHING_FILLED: Filled = { chosen: [], text: '' }

/** What is chosen after an option was ticked or cleared. A question takes one option unless it is multi-select. */
export function choose(
  { multiSelect }: Question,
  filled: Filled,
  { value, ticked }: { value: string; ticked: boolean },
): Filled {
  const others = multiSelect ? filled.chosen.filter((each) => each !== value) : []
  return { ...filled, chosen: ticked ? [...others, value] : others }
}

/** Whether a question still needs an answer: it is required, or an option that takes input has none. */
export function isMissing(question: Question, filled: Filled): boolean {
  if (isUnwritten(question, filled)) return true
  return (question.required ?? true) && valuesOf(question, filled).length === 0
}

/** The answers to a form, as the agent gets them. What was left open is left out. */
export function toAnswers(
  questions: readonly Question[],
  of: (key: string) => Filled,
): Record<string, string | string[]> {
  const entries = questions.flatMap((question): [string, string | string[]][] => {
    const filled = of(question.key)
    const values = valuesOf(question, filled)
    if (values.length === 0 || isUnwritten(question, filled)) return []
    return [[question.key, question.multiSelect ? values : (values[0] ?? '')]]
  })
  return Object.fromEntries(entries)
}

/** The answers to one question, in the order of its options. An option that takes input stands for what was written. */
function valuesOf({ options }: Question, { chosen, text }: Filled): string[] {
  const written = text.trim()
  if (options === undefined) return written === '' ? [] : [written]
  return options
    .filter(({ value }) => chosen.includes(value))
    .map(({ value, allowInput }) => (allowInput ? written : value))
}

/** Whether an option that takes input was chosen, and nothing is written. */
function isUnwritten({ options = [] }: Question, { chosen, text }: Filled): boolean {
  return text.trim() === '' && options.some(({ value, allowInput }) => allowInput === true && chosen.includes(value))
}
