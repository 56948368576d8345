import { createContext, type ReactNode, useContext } from 'react'

/** The words of the parts. Replace them to change the language. */
export interface PartWords {
  yes: string
  no: string
  absent: string
  empty: string
  showAll: (characters: number) => string
  showLess: string
  lineBreaks: (count: number) => string
  items: (count: number) => string
  hidden: (count: number) => string
  riskName: string
  risk: Record<'low' | 'medium' | 'high', string>
  where: string
  affected: string
  asks: string
  deadline: string
  noDeadline: string
  cause: string
  modelText: string
  required: string
  optional: string
  other: string
  notJson: string
  notANumber: string
  outOfRange: (from: number | undefined, to: number | undefined) => string
  missing: string
  submitEdit: string
  submitAnswers: string
  cancel: string
}

const ENGLISH: PartWords = {
  yes: 'yes',
  no: 'no',
  absent: 'not given',
  empty: 'empty',
  showAll: (characters) => `Show all ${characters} characters`,
  showLess: 'Show less',
  lineBreaks: (count) => `${count} line breaks`,
  items: (count) => (count === 1 ? '1 item' : `${count} items`),
  hidden: (count) => `Hidden text found: ${count === 1 ? '1 character' : `${count} characters`}, shown as marks.`,
  riskName: 'Risk',
  risk: { low: 'Low', medium: 'Medium', high: 'High' },
  where: 'Where',
  affected: 'Affected',
  asks: 'Asked by',
  deadline: 'Deadline',
  noDeadline: 'no deadline',
  cause: 'What the person asked',
  modelText: 'Written by the model, not checked',
  required: 'required',
  optional: 'optional',
  other: 'Something else',
  notJson: 'This is not JSON.',
  notANumber: 'This is not a number.',
  outOfRange: (from, to) =>
    from === undefined ? `At most ${to}.` : to === undefined ? `At least ${from}.` : `From ${from} to ${to}.`,
  missing: 'This is required.',
  submitEdit: 'Run it as changed',
  submitAnswers: 'Send answers',
  cancel: 'Discard changes',
}

const Context = createContext<PartWords>(ENGLISH)

/** Gives the parts inside of it other words. What is left out stays English. */
export function PartWordsProvider({ words, children }: { words: Partial<PartWords>; children?: ReactNode }): ReactNode {
  return <Context.Provider value={{ ...ENGLISH, ...words }}>{children}</Context.Provider>
}

/** The words of the parts. */
export function usePartWords(): PartWords {
  return useContext(Context)
}
