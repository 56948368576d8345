import type { RequestDetail } from 'holdpoint/client'
import { useId } from 'react'
import { Section } from '../card/section.tsx'
import { SafeCode, SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import { Select } from '../shell/select.tsx'
import { type GrantDraft, grantSentence, sameable, scopeWords } from './grant-draft.ts'

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
  const scopeId = useId()
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
            <label htmlFor={scopeId}>{offer.scope}</label>
            <Select
              id={scopeId}
              value={draft.scope}
              onChange={(event) => onChange({ ...draft, scope: event.target.value as GrantDraft['scope'] })}
            >
              {detail.offers.map(({ scope }) => (
                <option key={scope} value={scope}>
                  {scopeWords(detail.request, scope, offer)}
                </option>
              ))}
            </Select>
            <Limit
              label={offer.uses}
              unit={offer.usesUnit}
              most={1000}
              value={draft.uses}
              onChange={(uses) => onChange({ ...draft, uses })}
            />
            <Limit
              label={offer.forDays}
              unit={offer.days}
              most={90}
              value={draft.days}
              onChange={(days) => onChange({ ...draft, days })}
            />
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
                  {offer.same} <SafeCode text={name} />
                </span>
              </label>
            ))}
          </div>
        </details>
      </div>
    </Section>
  )
}

interface LimitProps {
  label: string
  unit: string
  most: number
  value: number
  onChange: (value: number) => void
}

/** A whole number from 1 to `most`. */
function Limit({ label, unit, most, value, onChange }: LimitProps) {
  const id = useId()
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span className="offer-number">
        <input
          id={id}
          className="input num"
          type="number"
          min={1}
          max={most}
          value={value}
          onChange={(event) => onChange(bounded(event.target.value, most))}
        />
        {unit}
      </span>
    </>
  )
}

const bounded = (text: string, most: number) => Math.min(most, Math.max(1, Math.floor(Number(text)) || 1))
