import type { Display, DisplayField } from '../../protocol/display.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import { type FormatOptions, formatField } from './format.ts'
import { guessDisplay, guessRest } from './guess.ts'
import { visible, visibleBrief } from './visible.ts'
import { sentenceOf } from './words.ts'

/** How much of one argument, and of a question, a headline shows. */
const LONGEST = 80
const LONGEST_QUESTION = 200

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

/** What is needed of a request to show it. */
export type ShownRequest = Pick<HitlRequest, 'kind'> &
  Partial<
    Pick<
      HitlRequest,
      'toolName' | 'toolCallId' | 'questionId' | 'args' | 'display' | 'prompt' | 'questions' | 'description'
    >
  >

/** How the call of a request is shown: as it was stored, with a field for every argument. Requests of earlier builds are guessed. */
export function displayOf({ toolName = '', args = {}, display }: ShownRequest): Display {
  if (!display) return guessDisplay({ toolName, args })
  const rest = guessRest(display.fields, { toolName, args })
  return rest.length === 0 ? display : { ...display, fields: [...display.fields, ...rest] }
}

/** The headline of a request of any kind, as one line of plain text. Questions of a form may be the model's words, so only their number is told. */
export function titleOf(request: ShownRequest, options: FormatOptions = {}): string {
  const { kind, toolName, args = {}, prompt, questions = [], description } = request
  switch (kind) {
    case 'approve':
      if (isAboutCall(request)) return titleText(displayOf(request), args, options)
      if (description !== undefined) return visibleBrief(description, LONGEST_QUESTION)
      return toolName === undefined ? 'End the run with this answer' : `${visible(sentenceOf(toolName))} asks`
    case 'confirm':
      return visibleBrief(prompt ?? 'Confirm', LONGEST_QUESTION)
    case 'ask':
      return questions.length === 1 ? 'Answer a question' : `Answer ${questions.length} questions`
    default:
      return kind satisfies never
  }
}

/** Whether a request is about a call of a tool, and not about an answer, nor asked by the body of a call. */
function isAboutCall({ kind, toolName, toolCallId, questionId }: ShownRequest): boolean {
  return kind === 'approve' && toolName !== undefined && (questionId === undefined || questionId === toolCallId)
}
