import type { RequestDetail } from 'holdpoint/client'
import { useEffect, useId, useRef } from 'react'
import { Section } from '../card/section.tsx'
import { SafeText } from '../card/values/safe-text.tsx'
import { useInboxWords } from '../i18n/i18n.tsx'
import { isComposing, takeFocus } from '../keyboard/typing.ts'
import { Icon } from '../shell/icon.tsx'
import { EditControl } from './edit-control.tsx'
import { EditedPreview } from './edited-preview.tsx'
import { toText } from './edits.ts'
import { ruleText } from './rule-text.ts'
import { type EditField, valueIn } from './schema-fields.ts'
import type { Edit } from './use-edit.ts'

interface EditFormProps {
  detail: RequestDetail
  edit: Edit
  /** Whether edits can be previewed on this server. */
  previews: boolean
  /** Whether the form takes the focus. */
  focus: boolean
  onSend: () => void
}

/** The arguments as a form: what was asked beside what will run. */
export default function EditForm({ detail, edit, previews, focus, onSend }: EditFormProps) {
  const {
    verdict: { edits },
  } = useInboxWords()
  const reason = useId()
  const form = useRef<HTMLFormElement>(null)
  // The button that opened the form is gone. On a touch screen a field would raise the keyboard over the form.
  useEffect(() => {
    if (!focus) return
    const first = form.current?.querySelector<HTMLElement>('input, select, textarea')
    const target = matchMedia('(pointer: coarse)').matches ? form.current : first
    takeFocus(target ?? null)
  }, [focus])
  return (
    <>
      <Section title={edits.title} note={edits.note}>
        <form
          ref={form}
          className="edit"
          tabIndex={-1}
          data-quiet-focus
          aria-label={edits.title}
          onSubmit={(event) => event.preventDefault()}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !isComposing(event.nativeEvent)) onSend()
          }}
        >
          <div className="edit-row edit-head" aria-hidden="true">
            <span>{edits.field}</span>
            <span>{edits.asAsked}</span>
            <span>{edits.willRun}</span>
          </div>
          {edit.fields.map((field) => (
            <EditRow key={field.key} field={field} detail={detail} edit={edit} />
          ))}
          <div className="edit-row">
            <label className="edit-name" htmlFor={reason}>
              {edits.why}
            </label>
            <span />
            <input
              id={reason}
              className="input"
              value={edit.message}
              onChange={(event) => edit.setMessage(event.target.value)}
            />
          </div>
          <General edit={edit} />
          <p className="edit-sum">
            <Icon name="pen" />
            <span>{edits.sum}</span>
          </p>
        </form>
      </Section>
      <EditedPreview detail={detail} edit={edit} previews={previews} />
    </>
  )
}

/** Problems that belong to no field. */
function General({ edit }: { edit: Edit }) {
  const others = edit.problems.filter(({ path }) => !edit.fields.some((field) => concerns(path, field)))
  return others.map(({ path, message }) => (
    <p key={`${path} ${message}`} className="hint hint-bad">
      <Icon name="x" />
      <SafeText text={`${path} ${message}`} />
    </p>
  ))
}

const concerns = (path: string, field: EditField) => path === field.key || path.startsWith(`${field.key}.`)

function EditRow({ field, detail, edit }: { field: EditField; detail: RequestDetail; edit: Edit }) {
  const { verdict } = useInboxWords()
  const id = useId()
  const asked = valueIn(detail.request.argsInput ?? detail.request.args ?? {}, field.path)
  const changed = edit.changed.includes(field.key)
  const unreadable = edit.unreadable[field.key]
  const problem = edit.problems.find(({ path }) => concerns(path, field))
  const rule = ruleText(field.control, verdict.edits)
  const bad = unreadable !== undefined || problem !== undefined
  const text = bad ? badText() : rule
  function badText(): string {
    if (unreadable === 'json') return verdict.edits.notJson
    if (unreadable !== undefined) return verdict.edits.expected(verdict.edits.rule[unreadable])
    if (problem?.keyword === 'required') return verdict.required
    return rule === undefined ? (problem?.message ?? verdict.edits.invalid) : verdict.edits.expected(rule)
  }
  return (
    <div className="edit-row" data-changed={changed || undefined}>
      <label className="edit-name" htmlFor={id}>
        <SafeText text={field.label} />
        {field.required && <span className="need">{verdict.required}</span>}
      </label>
      <div className="edit-old">
        <Old field={field} text={toText(field.control, asked)} absent={asked === undefined} changed={changed} />
      </div>
      <div className="edit-new">
        <EditControl
          id={id}
          field={field}
          text={edit.written[field.key] ?? toText(field.control, asked)}
          bad={bad}
          onWrite={(next) => edit.write(field.key, next)}
        />
        {text !== undefined && (
          <span id={`${id}-rule`} className={`hint num${bad ? ' hint-bad' : ''}`}>
            {bad && <Icon name="x" />}
            <SafeText text={text} />
          </span>
        )}
      </div>
    </div>
  )
}

function Old({ field, text, absent, changed }: { field: EditField; text: string; absent: boolean; changed: boolean }) {
  const { verdict, card } = useInboxWords()
  if (absent) return <span className="value-none">{verdict.edits.absent}</span>
  const shown =
    field.control.kind === 'secret'
      ? '••••••••'
      : field.control.kind === 'flag'
        ? text === 'true'
          ? card.yes
          : card.no
        : field.control.kind === 'choice'
          ? text.replace(/^"|"$/g, '')
          : text === ''
            ? card.emptyText
            : text
  const whole = field.control.kind === 'money' ? `${shown} ${field.control.currency}` : shown
  return changed ? (
    <del>
      <SafeText text={whole} />
    </del>
  ) : (
    <SafeText text={whole} />
  )
}
