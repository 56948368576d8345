import type { RequestDetail } from 'holdpoint/client'
import { useId } from 'react'
import { Section } from '../card/section.tsx'
import { SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import { type GrantDraft, grantSentence, sameable } from './grant-draft.ts'

interface OfferProps {
  detail: RequestDetail
  draft: GrantDraft
  onChange: (draft: GrantDraft) => void
}

/** Whether later calls like this one run without asking. Off unless it is switched on; its sentence says exactly how far it goes. */
export function Offer({ detail, draft, onChange }: OfferProps) {
  const {
    verdict: { offer },
  } = useInboxWords()
  const format = useFormat()
  const ids = { uses: useId(), time: useId(), scope: useId() }
  return (
    <Section title={offer.title}>
      <div className="offer" data-on={draft.on || undefined}>
        <label className="check">
          <input
            type="checkbox"
            checked={draft.on}
            onChange={(event) => onChange({ ...draft, on: event.target.checked })}
          />
          <span>
            <strong>{offer.always}</strong> <SafeText text={grantSentence(detail, draft, { words: offer, format })} />
          </span>
        </label>
        <p>{offer.note}</p>
        <details>
          <summary>{offer.change}</summary>
          <div className="offer-limits">
            <label htmlFor={ids.scope}>{offer.scope}</label>
            <select
              id={ids.scope}
              className="input"
              value={draft.scope}
              onChange={(event) => onChange({ ...draft, scope: event.target.value as GrantDraft['scope'] })}
            >
              {detail.offers.map(({ scope }) => (
                <option key={scope} value={scope}>
                  {offer[scope]}
                </option>
              ))}
            </select>
            <label htmlFor={ids.uses}>{offer.uses}</label>
            <span className="offer-number">
              <input
                id={ids.uses}
                className="input num"
                type="number"
                min={1}
                max={1000}
                value={draft.uses}
                onChange={(event) => onChange({ ...draft, uses: bounded(event.target.value, 1000) })}
              />
              {offer.usesUnit}
            </span>
            <label htmlFor={ids.time}>{offer.forDays}</label>
            <span className="offer-number">
              <input
                id={ids.time}
                className="input num"
                type="number"
                min={1}
                max={90}
                value={draft.days}
                onChange={(event) => onChange({ ...draft, days: bounded(event.target.value, 90) })}
              />
              {offer.days}
            </span>
            {sameable(detail.request).map((name) => (
              <label key={name} className="check offer-same">
                <input
                  type="checkbox"
                  checked={draft.same.includes(name)}
                  onChange={(event) =>
                    onChange({
                      ...draft,
                      same: event.target.checked ? [...draft.same, name] : draft.same.filter((each) => each !== name),
                    })
                  }
                />
                <span>
                  {offer.same}{' '}
                  <code>
                    <SafeText text={name} />
                  </code>
                </span>
              </label>
            ))}
          </div>
        </details>
      </div>
    </Section>
  )
}

const bounded = (text: string, most: number) => Math.min(most, Math.max(1, Math.floor(Number(text)) || 1))
