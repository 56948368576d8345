import { type ReactNode, useEffect, useRef, useState } from 'react'
import { SafeText } from '../card/values/safe-text.tsx'
import { useWords } from '../i18n/i18n.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { ReasonForm } from '../shell/reason-form.tsx'
import { useReason } from '../view/loading.tsx'
import { words } from './words.ts'

interface RunDialogProps {
  title: string
  /** What it comes to. */
  text: string
  submit: string
  thread: string
  /** What is chosen besides the reason. */
  children?: ReactNode
  danger?: boolean
  act: (reason: string) => Promise<void>
  /** It failed after the dialog was closed. */
  onFailed: (error: unknown) => void
  onClose: () => void
}

/** Asks why before something is done with the run of a thread. */
export function RunDialog(props: RunDialogProps) {
  const { title, text: told, submit, thread, children, danger, act, onFailed, onClose } = props
  const text = useWords(words)
  const reasonOf = useReason()
  const [working, setWorking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const send = async (reason: string) => {
    if (reason.trim() === '') return setProblem(text.runNeedsReason)
    setProblem(undefined)
    setWorking(true)
    try {
      await act(reason)
    } catch (error) {
      if (!isOpen.current) return onFailed(error)
      setWorking(false)
      setProblem(reasonOf(error))
    }
  }
  const labels = { text: told, label: text.runReason, cancel: text.keepRun, submit }
  const state = { working, problem, danger: danger === true }
  return (
    <Dialog title={title} narrow onClose={onClose}>
      <ReasonForm {...labels} {...state} onCancel={onClose} onSubmit={(why) => void send(why)}>
        <p>
          <strong>
            <SafeText text={thread} />
          </strong>
        </p>
        {children}
      </ReasonForm>
    </Dialog>
  )
}
