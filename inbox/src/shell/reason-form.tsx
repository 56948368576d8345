import { type FormEvent, type ReactNode, useId, useState } from 'react'

interface ReasonFormProps {
  /** What is asked about. */
  children: ReactNode
  /** What it comes to. */
  text: string
  label: string
  cancel: string
  submit: string
  working: boolean
  /** What follows cannot be undone. Default `true`. */
  danger?: boolean
  problem: string | undefined
  onCancel: () => void
  onSubmit: (reason: string) => void
}

/** The inside of a dialog that asks why before something is done. */
export function ReasonForm(props: ReasonFormProps) {
  const { children, text, label, cancel, submit, working, danger = true, problem, onCancel, onSubmit } = props
  const id = useId()
  const [reason, setReason] = useState('')
  const onForm = (event: FormEvent) => {
    event.preventDefault()
    if (!working) onSubmit(reason)
  }
  return (
    <form onSubmit={onForm}>
      {children}
      <p className="quiet dialog-text">{text}</p>
      <div className="form-row">
        <label className="label" htmlFor={id}>
          {label}
        </label>
        <input
          id={id}
          className="input"
          maxLength={2000}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </div>
      {problem !== undefined && (
        <p className="hint hint-bad" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-acts">
        <button type="button" className="btn" onClick={onCancel}>
          {cancel}
        </button>
        <button
          type="submit"
          className={danger ? 'btn btn-danger' : 'btn btn-ink'}
          aria-disabled={working || undefined}
        >
          {submit}
        </button>
      </div>
    </form>
  )
}
