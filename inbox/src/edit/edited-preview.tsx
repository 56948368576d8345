import { ApiError, type PreviewResult, type RequestDetail } from 'holdpoint/client'
import { useClient } from 'holdpoint/react'
import { useEffect, useState } from 'react'
import PreviewBody from '../card/preview/preview-body.tsx'
import { Section } from '../card/section.tsx'
import { SafeText } from '../card/values/safe-text.tsx'
import { useInboxWords } from '../i18n/i18n.tsx'
import type { Edit } from './use-edit.ts'

type State =
  | { kind: 'none' }
  | { kind: 'asking' }
  | { kind: 'unavailable' }
  | { kind: 'failed'; detail: string }
  | { kind: 'known'; result: PreviewResult }

const SETTLE_MS = 600

/** What the changed call would do, by the tool itself. */
export function EditedPreview({ detail, edit, previews }: { detail: RequestDetail; edit: Edit; previews: boolean }) {
  const {
    verdict: { edits },
  } = useInboxWords()
  const state = useEditedPreview(detail, edit, previews)
  if (detail.request.preview === undefined && state.kind !== 'known') return null
  return (
    <Section id="preview" title={edits.preview}>
      <div aria-live="polite" aria-busy={state.kind === 'asking'}>
        {state.kind === 'none' && <p className="quiet">{edits.previewLater}</p>}
        {state.kind === 'asking' && <p className="quiet">{edits.previewing}</p>}
        {state.kind === 'unavailable' && <p className="quiet">{edits.noPreview}</p>}
        {state.kind === 'failed' && (
          <p className="hint hint-bad">
            <SafeText text={state.detail} />
          </p>
        )}
        {state.kind === 'known' && <Result result={state.result} />}
      </div>
    </Section>
  )
}

function Result({ result }: { result: PreviewResult }) {
  const {
    verdict: { edits },
  } = useInboxWords()
  if (result.problems.length > 0)
    return (
      <>
        <p className="hint hint-bad">{edits.problems}</p>
        <ul>
          {result.problems.map((problem) => (
            <li key={problem} className="hint hint-bad">
              <SafeText text={problem} />
            </li>
          ))}
        </ul>
      </>
    )
  return result.preview === undefined ? (
    <p className="quiet">{edits.noPreview}</p>
  ) : (
    <PreviewBody preview={result.preview} />
  )
}

/** Asks when the form has rested a moment and is valid. An answer to an older text is dropped. */
function useEditedPreview({ request }: RequestDetail, { args, ready }: Edit, previews: boolean): State {
  const client = useClient()
  const [state, setState] = useState<State>({ kind: 'none' })
  const wanted = ready ? JSON.stringify(args) : undefined
  const { id, version } = request
  useEffect(() => {
    if (wanted === undefined) return setState({ kind: 'none' })
    if (!previews) return setState({ kind: 'unavailable' })
    const gone = new AbortController()
    const ask = async () => {
      setState({ kind: 'asking' })
      try {
        const result = await client.preview(id, { version, args: JSON.parse(wanted) }, { signal: gone.signal })
        if (!gone.signal.aborted) setState({ kind: 'known', result })
      } catch (error) {
        if (gone.signal.aborted) return
        const unavailable = error instanceof ApiError && error.code === 'preview_unavailable'
        setState(
          unavailable
            ? { kind: 'unavailable' }
            : { kind: 'failed', detail: error instanceof Error ? error.message : String(error) },
        )
      }
    }
    const timer = setTimeout(() => void ask(), SETTLE_MS)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [wanted, previews, client, id, version])
  return state
}
