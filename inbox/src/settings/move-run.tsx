import { useClient } from 'holdpoint/react'
import { useId, useState } from 'react'
import { visible } from '../../../src/core/display/visible.ts'
import { useWords } from '../i18n/i18n.tsx'
import { Select } from '../shell/select.tsx'
import { RunDialog } from './run-dialog.tsx'
import { words } from './words.ts'

interface MoveRunProps {
  thread: string
  /** The versions that live workers have, the newest last. `null`: the agent without one. */
  versions: readonly (string | null)[]
  onMoved: () => void
  /** It failed after the dialog was closed. */
  onFailed: (error: unknown) => void
  onClose: () => void
}

/** Asks for a version and a reason before another version of its agent goes on with the run of a thread. */
export function MoveRun({ thread, versions, onMoved, onFailed, onClose }: MoveRunProps) {
  const text = useWords(words)
  const client = useClient()
  const id = useId()
  // Versions may be any strings, so an option is named by its place.
  const [chosen, setChosen] = useState(versions.length - 1)
  const move = async (reason: string) => {
    await client.retry(thread, { version: versions[chosen] ?? null, reason })
    onMoved()
  }
  const labels = { title: text.moveRunTitle, text: text.moveRunText, submit: text.moveRunNow }
  return (
    <RunDialog {...labels} thread={thread} act={move} onFailed={onFailed} onClose={onClose}>
      <div className="form-row run-version">
        <label className="label" htmlFor={id}>
          {text.moveRunTo}
        </label>
        <Select id={id} value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          {versions.map((version, at) => (
            <option key={JSON.stringify(version)} value={at}>
              {version === null ? text.noVersion : visible(version)}
            </option>
          ))}
        </Select>
      </div>
    </RunDialog>
  )
}
