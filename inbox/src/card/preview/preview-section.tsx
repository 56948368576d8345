import { lazy, Suspense } from 'react'
import type { JsonValue } from '../../../../src/protocol/json/json.ts'
import { useInboxWords } from '../../i18n/i18n.tsx'
import { Section } from '../section.tsx'

const PreviewBody = lazy(() => import('./preview-body.tsx'))

/** What the tool itself says would happen. */
export function Preview({ preview }: { preview: JsonValue }) {
  const { card } = useInboxWords()
  return (
    <Section id="preview" title={card.preview} note={card.previewNote}>
      <Suspense fallback={<span className="skeleton skeleton-box" />}>
        <PreviewBody preview={preview} />
      </Suspense>
    </Section>
  )
}
