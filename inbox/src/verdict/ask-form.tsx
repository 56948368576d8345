import type { RequestItem } from 'holdpoint/client'
import { useId } from 'react'
import type { JsonObject } from '../../../src/protocol/json/json.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import { useInboxWords } from '../i18n/i18n.tsx'

type Question = NonNullable<RequestItem['questions']>[number]

/** What was chosen and written for one question. */
interface AnswerDraft {
  chosen: readonly string[]
  text: string
}

/** The answers to a form, by the key of their question. */
export type AnswerDrafts = Readonly<Record<string, AnswerDraft>>

const NONE: AnswerDraft = { chosen: [], text: '' }

/** The answers as they are sent, and the questions that still need one. */
export function readAnswers(
  questions: readonly Question[],
  drafts: AnswerDrafts,
): { value: JsonObject; missing: string[] } {
  const value: JsonObject = {}
  const missing: string[] = []
  for (const question of questions) {
    const draft = drafts[question.key] ?? NONE
    const given = answersTo(question, draft)
    if (isUnwritten(question, draft)) missing.push(question.key)
    else if (given.length > 0) value[question.key] = question.multiSelect ? given : (given[0] ?? '')
    else if (question.required ?? true) missing.push(question.key)
  }
  return { value, missing }
}

/** An option that takes input stands for what was written beside it. */
function answersTo({ options }: Question, { chosen, text }: AnswerDraft): string[] {
  const written = text.trim()
  if (!options) return written === '' ? [] : [written]
  return options
    .filter(({ value }) => chosen.includes(value))
    .map(({ value, allowInput }) => (allowInput ? written : value))
}

/** Whether an option that takes input was chosen, and nothing is written beside it. */
function isUnwritten({ options = [] }: Question, { chosen, text }: AnswerDraft): boolean {
  return text.trim() === '' && options.some(({ value, allowInput }) => allowInput === true && chosen.includes(value))
}

interface AskFormProps {
  questions: readonly Question[]
  drafts: AnswerDrafts
  onChange: (drafts: AnswerDrafts) => void
  onSend: () => void
}

/** The questions of a form. */
export function AskForm({ questions, drafts, onChange, onSend }: AskFormProps) {
  return (
    <form
      className="ask"
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSend()
      }}
    >
      {questions.map((question, at) => (
        <QuestionFields
          key={question.key}
          question={question}
          number={at + 1}
          draft={drafts[question.key] ?? NONE}
          onChange={(draft) => onChange({ ...drafts, [question.key]: draft })}
        />
      ))}
    </form>
  )
}

interface QuestionProps {
  question: Question
  number: number
  draft: AnswerDraft
  onChange: (draft: AnswerDraft) => void
}

function QuestionFields({ question, number, draft, onChange }: QuestionProps) {
  const { verdict } = useInboxWords()
  const id = useId()
  const { options, prompt } = question
  const need = (question.required ?? true) ? verdict.required : verdict.optional
  if (!options)
    return (
      <div className="question">
        <label className="question-title" htmlFor={id}>
          <span className="question-number num">{number}</span>
          <SafeText text={prompt} />
          <span className="need">{need}</span>
        </label>
        <textarea
          id={id}
          className="input"
          rows={3}
          value={draft.text}
          placeholder={verdict.yourWords}
          onChange={(event) => onChange({ ...draft, text: event.target.value })}
        />
      </div>
    )
  return (
    <fieldset className="question">
      <legend className="question-title">
        <span className="question-number num">{number}</span>
        <SafeText text={prompt} />
        <span className="need">
          {question.multiSelect ? verdict.chooseAny : verdict.chooseOne}, {need}
        </span>
      </legend>
      <div className="options" data-many={question.multiSelect || undefined}>
        {options.map((option) => (
          <Option
            key={option.value}
            option={option}
            name={id}
            multi={question.multiSelect === true}
            draft={draft}
            onChange={onChange}
          />
        ))}
      </div>
    </fieldset>
  )
}

interface OptionProps {
  option: NonNullable<Question['options']>[number]
  name: string
  multi: boolean
  draft: AnswerDraft
  onChange: (draft: AnswerDraft) => void
}

function Option({ option, name, multi, draft, onChange }: OptionProps) {
  const { verdict } = useInboxWords()
  const { value, label, description, allowInput } = option
  const checked = draft.chosen.includes(value)
  const choose = (on: boolean) => {
    if (!multi) return onChange({ ...draft, chosen: [value] })
    onChange({ ...draft, chosen: on ? [...draft.chosen, value] : draft.chosen.filter((each) => each !== value) })
  }
  return (
    <div className="option-wrap">
      <label className="option">
        <input
          type={multi ? 'checkbox' : 'radio'}
          name={name}
          checked={checked}
          onChange={(event) => choose(event.target.checked)}
        />
        <span className="option-body">
          <strong>
            <SafeText text={label} />
          </strong>
          {description !== undefined && <SafeText text={description} />}
        </span>
      </label>
      {allowInput === true && checked && (
        <input
          className="input option-input"
          aria-label={verdict.which}
          placeholder={verdict.which}
          value={draft.text}
          onChange={(event) => onChange({ ...draft, text: event.target.value })}
        />
      )}
    </div>
  )
}
