import type { enVerdict } from '../i18n/en-verdict.ts'
import type { Control } from './schema-fields.ts'

/** What a field accepts, in words. */
export function ruleText(
  control: Control,
  { rule, json }: Pick<(typeof enVerdict)['edits'], 'rule' | 'json'>,
): string | undefined {
  switch (control.kind) {
    case 'money': {
      const write = (value: number) => (value / control.scale).toFixed(control.digits)
      const bounds = boundsText({ min: control.min, max: control.max }, { rule, write })
      return bounds === undefined ? control.currency : `${control.currency}, ${bounds}`
    }
    case 'number': {
      const kind = control.integer ? rule.integer : rule.number
      const bounds = boundsText({ min: control.min, max: control.max }, { rule, write: String })
      return bounds === undefined ? kind : `${kind}, ${bounds}`
    }
    case 'text':
      return control.maxLength === undefined ? undefined : rule.maxLength(String(control.maxLength))
    case 'json':
      return json
    case 'choice':
    case 'flag':
    case 'lines':
    case 'fixed':
    case 'secret':
      return undefined
    default:
      return control satisfies never
  }
}

interface Writing {
  rule: (typeof enVerdict)['edits']['rule']
  write: (value: number) => string
}

function boundsText(
  { min, max }: { min: number | undefined; max: number | undefined },
  { rule, write }: Writing,
): string | undefined {
  if (min !== undefined && max !== undefined) return rule.range(write(min), write(max))
  if (min !== undefined) return rule.min(write(min))
  return max === undefined ? undefined : rule.max(write(max))
}
