import type { RequestItem } from 'holdpoint/client'
import { useId } from 'react'
import type { JsonObject } from '../../../src/protocol/json/json.ts'
import { choose, type Filled, isMissing, NOTHING_FILLED, toAnswers } from '../../../src/react/parts/answers.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import { useInboxWords } from '../i18n/i18n.tsx'
import { isComposing } from '../keyboard/typing.ts'

type Question = NonNullable<RequestItem['questions']>[number]

/** What is filled in, by the key of its question. */
export type AnswerDrafts = Readonly<Record<string, Filled>>

/** The answers as they are sent, and the questions that still need one. */
export function readAnswers(
  questions: readonly Question[],
  drafts: AnswerDrafts,
): { value: JsonObject; missing: string[] } {
  const of = (key: string) => drafts[key] ?? NOTHING_FILLED
  const missing = questions.filter((question) => isMissing(question, of(question.key))).map(({ key }) => key)
  return { value: toAnswers(questions, of), missing }
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
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !isComposing(event.nativeEvent)) onSend()
      }}
    >
      {questions.map((question, at) => (
        <QuestionFields
          key={question.key}
          question={question}
          number={at + 1}
          draft={drafts[question.key] ?? NOTHING_FILLED}
          onChange={(draft) => onChange({ ...drafts, [question.key]: draft })}
        />
      ))}
    </form>
  )
}

interface QuestionProps {
  question: Question
  number: number
  draft: Filled
  onChange: (draft: Filled) => void
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
          <Option key={option.value} option={option} name={id} question={question} draft={draft} onChange={onChange} />
        ))}
      </div>
    </fieldset>
  )
}

interface OptionProps {
  option: NonNullable<Question['options']>[number]
  name: string
  question: Question
  draft: Filled
  onChange: (draft: Filled) => void
}

function Option({ option, name, question, draft, onChange }: OptionProps) {
  const { verdict } = useInboxWords()
  const { value, label, description, allowInput } = option
  const checked = draft.chosen.includes(value)
  return (
    <div className="option-wrap">
      <label className="option">
        <input
          type={question.multiSelect ? 'checkbox' : 'radio'}
          name={name}
          checked={checked}
          onChange={(event) => onChange(choose(question, draft, { value, ticked: event.target.checked }))}
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
