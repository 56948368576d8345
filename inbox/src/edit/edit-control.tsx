import { SafeText } from '../card/values/safe-text.tsx'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Icon } from '../shell/icon.tsx'
import { Select } from '../shell/select.tsx'
import type { EditField } from './schema-fields.ts'

interface EditControlProps {
  id: string
  field: EditField
  text: string
  bad: boolean
  onWrite: (text: string) => void
}

/** The control of one argument. */
export function EditControl({ id, field, text, bad, onWrite }: EditControlProps) {
  const { card, verdict } = useInboxWords()
  const { control } = field
  const common = { id, 'aria-invalid': bad, 'aria-describedby': `${id}-rule` } as const
  switch (control.kind) {
    case 'fixed':
      return (
        <span className="fixed" id={id}>
          <Icon name="lock" />
          <span className="mono">
            <SafeText text={text} />
          </span>
          <span className="hint">{verdict.edits.fixed}</span>
        </span>
      )
    case 'choice':
      return (
        <Select {...common} value={text} onChange={(event) => onWrite(event.target.value)}>
          {!control.options.some((option) => JSON.stringify(option) === text) && <option value={text} />}
          {control.options.map((option) => (
            <option key={JSON.stringify(option)} value={JSON.stringify(option)}>
              {typeof option === 'string' ? option : JSON.stringify(option)}
            </option>
          ))}
        </Select>
      )
    case 'flag':
      return (
        <span className="switch">
          <input
            {...common}
            type="checkbox"
            role="switch"
            aria-checked={text === 'true'}
            checked={text === 'true'}
            onChange={(event) => onWrite(String(event.target.checked))}
          />
          <span className="switch-face" />
          <span aria-hidden="true">{text === 'true' ? card.yes : card.no}</span>
        </span>
      )
    case 'money':
      return (
        <span className="affix" data-before={signOf(control.currency).length}>
          <span className="affix-before" aria-hidden="true">
            {signOf(control.currency)}
          </span>
          <input
            {...common}
            className="input num"
            inputMode="decimal"
            value={text}
            onChange={(event) => onWrite(event.target.value)}
          />
        </span>
      )
    case 'number':
      return (
        <input
          {...common}
          className="input num"
          inputMode={control.integer ? 'numeric' : 'decimal'}
          value={text}
          onChange={(event) => onWrite(event.target.value)}
        />
      )
    case 'text':
      if (!control.long)
        return (
          <input
            {...common}
            className="input"
            type={control.type}
            value={text}
            onChange={(event) => onWrite(event.target.value)}
          />
        )
      return (
        <textarea
          {...common}
          className="input"
          rows={3}
          value={text}
          onChange={(event) => onWrite(event.target.value)}
        />
      )
    case 'secret':
      return (
        <input
          {...common}
          className="input"
          type="password"
          autoComplete="off"
          value={text}
          onChange={(event) => onWrite(event.target.value)}
        />
      )
    case 'lines':
    case 'json':
      return (
        <textarea
          {...common}
          className="input mono"
          rows={Math.min(8, Math.max(2, text.split('\n').length))}
          spellCheck={false}
          value={text}
          onChange={(event) => onWrite(event.target.value)}
        />
      )
    default:
      return control satisfies never
  }
}

/** The sign of a currency, such as `€`. */
function signOf(currency: string): string {
  try {
    const parts = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
    }).formatToParts(0)
    return parts.find(({ type }) => type === 'currency')?.value ?? currency
  } catch {
    return currency
  }
}
