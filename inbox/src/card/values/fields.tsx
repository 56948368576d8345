import type { DisplayField, RequestItem } from 'holdpoint/client'
import { hiddenCount } from '../../../../src/core/display/hidden.ts'
import { displayOf } from '../../../../src/core/display/title.ts'
import { valueAt } from '../../../../src/core/display/value-at.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json/json.ts'
import { useInboxWords } from '../../i18n/i18n.tsx'
import { Icon } from '../../shell/icon.tsx'
import { FieldValue } from './field-value.tsx'
import { lookAlikes } from './look-alikes.ts'
import { SafeCode, SafeText } from './safe-text.tsx'

/** The arguments of a call: what its tool declared in its order, then whatever it did not name. Nothing is left out. */
export function Fields({ request, edited }: { request: RequestItem; edited?: JsonObject }) {
  const { card } = useInboxWords()
  const args = request.args ?? {}
  const { fields } = displayOf(request)
  if (fields.length === 0) return <p className="quiet">{card.noArgs}</p>
  return (
    <dl className="fields">
      {fields.map((field) => (
        <FieldRow key={field.path} name={field.path} label={field.label} value={valueAt(args, field.path)}>
          <Changed field={field} args={args} edited={edited} />
        </FieldRow>
      ))}
    </dl>
  )
}

/** An argument that a decision changed: old and new side by side. */
function Changed({ field, args, edited }: { field: DisplayField; args: JsonObject; edited: JsonObject | undefined }) {
  if (!edited || JSON.stringify(valueAt(args, field.path)) === JSON.stringify(valueAt(edited, field.path)))
    return <FieldValue field={field} args={args} />
  return (
    <span className="value-change">
      <del>
        <FieldValue field={field} args={args} />
      </del>
      <span aria-hidden="true">→</span>
      <ins>
        <FieldValue field={field} args={edited} />
      </ins>
    </span>
  )
}

interface FieldRowProps {
  name: string
  label?: string | undefined
  value: JsonValue | undefined
  children: React.ReactNode
}

function FieldRow({ name, label, value, children }: FieldRowProps) {
  const { card } = useInboxWords()
  const hidden = hiddenCount(value)
  const alike = lookAlikes(value)
  return (
    <div className="field" data-suspicious={hidden > 0 || alike.length > 0 || undefined}>
      <dt>{label === undefined ? <SafeCode text={name} /> : <SafeText text={label} />}</dt>
      <dd>
        {children}
        {hidden > 0 && (
          <span className="hint hint-bad">
            <Icon name="eye" />
            {card.hiddenHere(hidden)}
          </span>
        )}
        {alike.map(({ reading, scripts }) => (
          <span key={`${reading} ${scripts.join(' ')}`} className="hint hint-bad">
            <Icon name="eye" />
            <SafeText
              text={[
                ...(reading === undefined ? [] : [card.punycode(reading)]),
                ...(scripts.length === 0 ? [] : [card.mixedScripts(scripts)]),
              ].join(' ')}
            />
          </span>
        ))}
      </dd>
    </div>
  )
}
