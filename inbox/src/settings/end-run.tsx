import { useClient } from 'holdpoint/react'
import { useWords } from '../i18n/i18n.tsx'
import { RunDialog } from './run-dialog.tsx'
import { words } from './words.ts'

interface EndRunProps {
  thread: string
  /** `false`: there was nothing to end any more. */
  onEnded: (aborted: boolean) => void
  /** It failed after the dialog was closed. */
  onFailed: (error: unknown) => void
  onClose: () => void
}

/** Asks why before the run of a thread is ended for good. */
export function EndRun({ thread, onEnded, onFailed, onClose }: EndRunProps) {
  const text = useWords(words)
  const client = useClient()
  const end = async (reason: string) => onEnded((await client.abort(thread, { reason })).aborted)
  const labels = { title: text.endRunTitle, text: text.endRunText, submit: text.endRunNow }
  return <RunDialog {...labels} thread={thread} danger act={end} onFailed={onFailed} onClose={onClose} />
}
