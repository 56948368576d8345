import type { RequestDetail } from 'holdpoint/client'
import { useEffect, useMemo, useState } from 'react'
import { useDraft } from '../verdict/drafts.tsx'
import { applyEdits, type Edited, type Written } from './edits.ts'
import { type EditField, fieldsOf } from './schema-fields.ts'
import type { Problem, problemsOf } from './validate.ts'

/** The form of an edit. */
export interface Edit extends Edited {
  fields: readonly EditField[]
  written: Written
  write: (key: string, text: string) => void
  /** Why the model is told that a person changed the call. */
  message: string
  setMessage: (text: string) => void
  problems: readonly Problem[]
  /** Something is changed, and all of it can run. */
  ready: boolean
  reset: () => void
}

const NOTHING_WRITTEN: Written = {}

/** Edits the arguments of a request, once `on`: what checks them is loaded when it is first needed. */
export function useEdit(detail: RequestDetail, on: boolean): Edit {
  const { request, argsSchema } = detail
  const about = `${request.id}@${request.version}`
  const [written, setWritten] = useDraft<Written>(`${about} edit`, NOTHING_WRITTEN)
  const [message, setMessage] = useDraft(`${about} why`, '')
  const asked = useMemo(() => request.argsInput ?? request.args ?? {}, [request])
  const fields = useMemo(() => fieldsOf(argsSchema, asked, request.display?.fields ?? []), [argsSchema, asked, request])
  const edited = useMemo(() => applyEdits(asked, fields, written), [asked, fields, written])
  const check = useCheck(on)
  const problems = useMemo(
    () => check?.([argsSchema, request.argsSchema], edited.args) ?? [],
    [check, argsSchema, request, edited],
  )
  return {
    ...edited,
    fields,
    written,
    write: (key, text) => setWritten((before) => ({ ...before, [key]: text })),
    message,
    setMessage,
    problems,
    ready:
      check !== undefined &&
      edited.changed.length > 0 &&
      problems.length === 0 &&
      Object.keys(edited.unreadable).length === 0,
    reset: () => {
      setWritten(NOTHING_WRITTEN)
      setMessage('')
    },
  }
}

function useCheck(on: boolean): typeof problemsOf | undefined {
  const [check, setCheck] = useState<{ problemsOf: typeof problemsOf }>()
  useEffect(() => {
    if (on) void import('./validate.ts').then(setCheck)
  }, [on])
  return check?.problemsOf
}
