import { useClient } from 'holdpoint/react'
import { useState } from 'react'
import { SafeText } from '../card/values/safe-text.tsx'
import { useWords } from '../i18n/i18n.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { ReasonForm } from '../shell/reason-form.tsx'
import { useReason } from '../view/loading.tsx'
import { words } from './words.ts'

interface EndRunProps {
  thread: string
  /** `false`: there was nothing to end any more. */
  onEnded: (aborted: boolean) => void
  onClose: () => void
}

/** Asks why before the run of a thread is ended for good. */
export function EndRun({ thread, onEnded, onClose }: EndRunProps) {
  const text = useWords(words)
  const client = useClient()
  const reasonOf = useReason()
  const [working, setWorking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const end = async (reason: string) => {
    if (reason.trim() === '') return setProblem(text.endRunNeedsReason)
    setProblem(undefined)
    setWorking(true)
    try {
      onEnded((await client.abort(thread, { reason })).aborted)
    } catch (error) {
      setWorking(false)
      setProblem(reasonOf(error))
    }
  }
  const labels = { text: text.endRunText, label: text.endRunReason, cancel: text.keepRun, submit: text.endRunNow }
  return (
    <Dialog title={text.endRunTitle} narrow onClose={onClose}>
      <ReasonForm {...labels} working={working} problem={problem} onCancel={onClose} onSubmit={(why) => void end(why)}>
        <p>
          <strong>
            <SafeText text={thread} />
          </strong>
        </p>
      </ReasonForm>
    </Dialog>
  )
}
