import type { Display, DisplayField } from '../../protocol/display.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { type FormatOptions, formatField } from './format.ts'
import { visible, visibleBrief } from './visible.ts'

/** How much of one argument a headline shows. */
const LONGEST = 80

/** The headline of a call as one line of plain text, without characters that could deceive. */
export function titleText(display: Display, args: JsonObject, options: FormatOptions = {}): string {
  return display.title
    .map((part) => {
      if (typeof part === 'string') return visible(part)
      const value = formatField(fieldOf(display, part.path), args, options)
      return value === undefined ? '(not given)' : visibleBrief(value, LONGEST)
    })
    .join('')
}

function fieldOf({ fields }: Display, path: string): DisplayField {
  return fields.find((field) => field.path === path) ?? { path, format: 'text' }
}
