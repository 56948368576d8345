import type { Question } from '../../protocol/request.ts'

/** What a person has filled in for one question. */
export interface Filled {
  /** Values of options. */
  chosen: readonly string[]
  /** The option that takes own words is chosen. */
  other: boolean
  /** Own words. */
  text: string
}

function valuesOf(question: Question, filled: Filled): string[] {
  if (question.options === undefined) return filled.text === '' ? [] : [filled.text]
  return filled.other && filled.text !== '' ? [...filled.chosen, filled.text] : [...filled.chosen]
}

/** Whether a required question has no answer. */
export function isMissing(question: Question, filled: Filled): boolean {
  const incomplete = filled.other && filled.text === ''
  return (question.required ?? true) ? incomplete || valuesOf(question, filled).length === 0 : incomplete
}

/** The answers to a form, as the agent gets them. What was left open is left out. */
export function toAnswers(
  questions: readonly Question[],
  of: (key: string) => Filled,
): Record<string, string | string[]> {
  const entries = questions.flatMap((question): [string, string | string[]][] => {
    const values = valuesOf(question, of(question.key))
    if (values.length === 0) return []
    return [[question.key, question.multiSelect ? values : (values[0] ?? '')]]
  })
  return Object.fromEntries(entries)
}
