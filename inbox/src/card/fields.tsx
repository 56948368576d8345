import type { DisplayField, RequestItem } from 'holdpoint/client'
import { hiddenCount } from '../../../src/core/display/hidden.ts'
import { valueAt } from '../../../src/core/display/value-at.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json/json.ts'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Icon } from '../shell/icon.tsx'
import { AnyValue } from './any-value.tsx'
import { FieldValue } from './field-value.tsx'
import { SafeText } from './safe-text.tsx'

/** The arguments of a call: what its tool declared in its order, then whatever it did not name. Nothing is left out. */
export function Fields({ request, edited }: { request: RequestItem; edited?: JsonObject }) {
  const { card } = useInboxWords()
  const args = request.args ?? {}
  const declared = request.display?.fields ?? []
  const rest = restOf(args, declared)
  if (declared.length === 0 && rest.length === 0) return <p className="quiet">{card.noArgs}</p>
  return (
    <dl className="fields">
      {declared.map((field) => (
        <FieldRow key={field.path} name={field.path} label={field.label} value={valueAt(args, field.path)}>
          <Changed field={field} args={args} edited={edited} />
        </FieldRow>
      ))}
      {rest.map(([name, value]) => (
        <FieldRow key={`rest ${name}`} name={name} value={value}>
          <AnyValue value={value} />
        </FieldRow>
      ))}
    </dl>
  )
}

/** Top-level arguments of which no part is declared. */
function restOf(args: JsonObject, declared: readonly DisplayField[]): [string, JsonValue][] {
  return Object.entries(args).filter(
    ([name]) =>
      !declared.some(
        ({ path, currency }) => owns(path, name) || (typeof currency === 'object' && owns(currency.path, name)),
      ),
  )
}

const owns = (path: string, name: string) => path === name || path.startsWith(`${name}.`)

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
  return (
    <div className="field" data-suspicious={hidden > 0 || undefined}>
      <dt>
        {label === undefined ? (
          <code>
            <SafeText text={name} />
          </code>
        ) : (
          <SafeText text={label} />
        )}
      </dt>
      <dd>
        {children}
        {hidden > 0 && (
          <span className="hint hint-bad">
            <Icon name="eye" />
            {card.hiddenHere(hidden)}
          </span>
        )}
      </dd>
    </div>
  )
}
