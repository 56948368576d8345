import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { RequestItem } from '../../protocol/api/requests.ts'
import type { Question } from '../../protocol/request.ts'
import { choose, type Filled, isMissing, NOTHING_FILLED, toAnswers } from './answers.ts'
import type { PartProps } from './part-props.ts'
import { SafeText } from './safe-text.tsx'
import { tickedIn, typedIn } from './typed-in.ts'
import { usePartWords } from './words.tsx'

/** What `AskForm` takes. */
export interface AskFormProps extends PartProps {
  /** A request of kind `ask`. */
  request: RequestItem
  /** Gets the answers: a string for each question, an array for a multi-select one. */
  onSubmit: (answers: Record<string, string | string[]>) => void
}

/** A form for the questions of an `ask`. Nothing is chosen beforehand. */
export function AskForm({ request, onSubmit, className }: AskFormProps): ReactNode {
  const words = usePartWords()
  const questions = request.questions ?? []
  const [filled, setFilled] = useState<ReadonlyMap<string, Filled>>(new Map())
  const [tried, setTried] = useState(false)
  const of = (key: string): Filled => filled.get(key) ?? NOTHING_FILLED
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (!questions.some((question) => isMissing(question, of(question.key)))) onSubmit(toAnswers(questions, of))
  }
  return (
    <form className={className} data-part="ask" onSubmit={submit} noValidate>
      {questions.map((question) => (
        <QuestionField
          key={question.key}
          question={question}
          filled={of(question.key)}
          missing={tried && isMissing(question, of(question.key))}
          onFill={(next) => setFilled((before) => new Map(before).set(question.key, next))}
        />
      ))}
      <button type="submit">{words.submitAnswers}</button>
    </form>
  )
}

interface QuestionFieldProps {
  question: Question
  filled: Filled
  missing: boolean
  onFill: (filled: Filled) => void
}

function QuestionField({ question, filled, missing, onFill }: QuestionFieldProps): ReactNode {
  const words = usePartWords()
  const id = useId()
  const problem = missing ? `${id}-problem` : undefined
  return (
    <fieldset data-part="question" data-key={question.key} aria-describedby={problem}>
      <legend id={`${id}-prompt`}>
        <SafeText text={question.prompt} fold={Number.POSITIVE_INFINITY} />{' '}
        <small>{(question.required ?? true) ? words.required : words.optional}</small>
      </legend>
      {question.options === undefined ? (
        <textarea
          rows={3}
          aria-labelledby={`${id}-prompt`}
          aria-invalid={missing || undefined}
          value={filled.text}
          onChange={(event) => onFill({ ...filled, text: typedIn(event) })}
        />
      ) : (
        <Options question={question} filled={filled} onFill={onFill} />
      )}
      {missing && (
        <p id={problem} role="alert">
          {words.missing}
        </p>
      )}
    </fieldset>
  )
}

function Options({ question, filled, onFill }: Omit<QuestionFieldProps, 'missing'>): ReactNode {
  const words = usePartWords()
  const name = useId()
  const type = question.multiSelect ? 'checkbox' : 'radio'
  return (
    <>
      {(question.options ?? []).map(({ value, label, description, allowInput }) => (
        <label key={value}>
          <input
            type={type}
            name={name}
            checked={filled.chosen.includes(value)}
            onChange={(event) => onFill(choose(question, filled, { value, ticked: tickedIn(event) }))}
          />
          <SafeText text={label} />
          {description !== undefined && (
            <small>
              <SafeText text={description} />
            </small>
          )}
          {allowInput && filled.chosen.includes(value) && (
            <input
              aria-label={words.other}
              value={filled.text}
              onChange={(event) => onFill({ ...filled, text: typedIn(event) })}
            />
          )}
        </label>
      ))}
    </>
  )
}
