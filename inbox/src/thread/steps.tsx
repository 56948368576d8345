import type { StoryItem } from 'holdpoint/client'
import type { ThreadView } from 'holdpoint/react'
import { useMemo } from 'react'
import { useWords } from '../i18n/i18n.tsx'
import { Failure } from '../view/loading.tsx'
import { stepKeys } from './step-keys.ts'
import { StepLine } from './step-line.tsx'
import { useEarlier } from './use-earlier.ts'
import { words } from './words.ts'

/** The steps of a thread, the oldest first, and above them how to see those before. */
export function Steps({ view, story, me }: { view: ThreadView; story: readonly StoryItem[]; me: string | undefined }) {
  const text = useWords(words)
  const keys = useMemo(() => stepKeys(story), [story])
  const { list, button, added, show } = useEarlier(view, keys)
  const { earlier, earlierError } = view
  return (
    <>
      {earlier === 'failed' && <Failure error={earlierError} />}
      {earlier !== 'none' && (
        <button
          ref={button}
          type="button"
          className="btn steps-earlier"
          aria-disabled={earlier === 'loading' || undefined}
          onClick={show}
        >
          {earlier === 'loading' ? text.loadingEarlier : text.showEarlier}
        </button>
      )}
      <p className="sr" role="status">
        {added > 0 && text.earlierShown(added)}
      </p>
      <ol className="steps" aria-label={text.steps(story.length)} ref={list}>
        {story.map((item, at) => (
          <StepLine key={keys[at]} item={item} me={me} />
        ))}
      </ol>
    </>
  )
}
