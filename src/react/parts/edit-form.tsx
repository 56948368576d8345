import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { visible } from '../../core/display/visible.ts'
import type { RequestDetail } from '../../protocol/api/requests.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import { asText } from './field-value.tsx'
import type { PartProps } from './part-props.ts'
import { SafeText } from './safe-text.tsx'
import { type FieldProblem, fieldsOfSchema, readTyped, type SchemaField, toTyped } from './schema-fields.ts'
import { typedIn } from './typed-in.ts'
import { type PartWords, usePartWords } from './words.tsx'

/** What `EditForm` takes. */
export interface EditFormProps extends PartProps {
  detail: RequestDetail
  /** Gets the edited arguments, once they can be read. The server checks them against the tool's whole schema. */
  onSubmit: (args: JsonObject) => void
  onCancel?: () => void
  /** Problems that the server found, one for each. */
  problems?: readonly string[]
}

/** A form for the arguments of a call, made from the tool's JSON Schema, with what was asked beside what will run. */
export function EditForm({ detail, onSubmit, onCancel, problems = [], className }: EditFormProps): ReactNode {
  const words = usePartWords()
  const args = detail.request.argsInput ?? detail.request.args ?? {}
  const fields = fieldsOfSchema(detail.request.argsSchema ?? detail.argsSchema, args)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [tried, setTried] = useState(false)
  const read = fields.map((field) => {
    const was = own(args, field.name)
    const text = own(typed, field.name)
    return {
      field,
      was,
      text: text ?? toTyped(field.control, was),
      now: text === undefined ? { value: was } : readTyped(field, text),
    }
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (read.some(({ now }) => 'problem' in now)) return
    onSubmit(Object.fromEntries(read.flatMap(({ field, now }) => valueEntry(field.name, now))))
  }
  return (
    <form className={className} data-part="edit" onSubmit={submit} noValidate>
      {read.map(({ field, was, text, now }) => (
        <EditRow
          key={field.name}
          field={field}
          was={was}
          text={text}
          problem={tried && 'problem' in now ? now.problem : undefined}
          onType={(next) => setTyped((before) => ({ ...before, [field.name]: next }))}
        />
      ))}
      {problems.length > 0 && (
        <ul role="alert" data-part="problems">
          {problems.map((problem) => (
            <li key={problem}>
              <SafeText text={problem} />
            </li>
          ))}
        </ul>
      )}
      <button type="submit">{words.submitEdit}</button>
      {onCancel !== undefined && (
        <button type="button" onClick={onCancel}>
          {words.cancel}
        </button>
      )}
    </form>
  )
}

interface EditRowProps {
  field: SchemaField
  was: JsonValue | undefined
  text: string
  problem: FieldProblem | undefined
  onType: (text: string) => void
}

function EditRow({ field, was, text, problem, onType }: EditRowProps): ReactNode {
  const words = usePartWords()
  const id = useId()
  const changed = text !== toTyped(field.control, was)
  const notes = [field.hint === undefined ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`]
  const describedBy = notes.filter(Boolean).join(' ') || undefined
  return (
    <div data-part="row" data-field={field.name} data-changed={changed || undefined}>
      <label htmlFor={id}>
        <SafeText text={field.label} fold={Number.POSITIVE_INFINITY} />
      </label>
      <span data-part="was">{was === undefined ? words.absent : <SafeText text={asText(was)} />}</span>
      <Input
        id={id}
        field={field}
        text={text}
        describedBy={describedBy}
        invalid={problem !== undefined}
        onType={onType}
      />
      {field.hint !== undefined && (
        <small id={`${id}-hint`}>
          <SafeText text={field.hint} />
        </small>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert">
          {problemText(problem, words)}
        </p>
      )}
    </div>
  )
}

interface InputProps {
  id: string
  field: SchemaField
  text: string
  describedBy: string | undefined
  invalid: boolean
  onType: (text: string) => void
}

function Input({ id, field: { control, required }, text, describedBy, invalid, onType }: InputProps): ReactNode {
  const shared = {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': invalid || undefined,
    'aria-required': required || undefined,
    onChange: (event: { currentTarget: unknown }) => onType(typedIn(event)),
  }
  switch (control.kind) {
    case 'flag':
    case 'choice': {
      const choices = control.kind === 'flag' ? ['true', 'false'] : control.choices.map(String)
      return (
        <select {...shared} value={text}>
          {!choices.includes(text) && <option value={text}>{visible(text)}</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {visible(choice)}
            </option>
          ))}
        </select>
      )
    }
    case 'number':
      return <input {...shared} value={text} inputMode={control.integer ? 'numeric' : 'decimal'} />
    case 'json':
      return <textarea {...shared} value={text} rows={4} spellCheck={false} />
    case 'text':
      return control.long ? (
        <textarea {...shared} value={text} rows={4} maxLength={control.maxLength} />
      ) : (
        <input {...shared} value={text} maxLength={control.maxLength} />
      )
    default:
      return control satisfies never
  }
}

function problemText(problem: FieldProblem, words: PartWords): string {
  switch (problem) {
    case 'missing':
      return words.missing
    case 'number':
      return words.notANumber
    case 'json':
      return words.notJson
    default:
      return words.outOfRange(problem.from, problem.to)
  }
}

function valueEntry(name: string, now: ReturnType<typeof readTyped>): [string, JsonValue][] {
  return 'value' in now && now.value !== undefined ? [[name, now.value]] : []
}

function own<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
