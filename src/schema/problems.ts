import type { ErrorObject } from 'ajv'

const MAX_PROBLEMS = 10
const MAX_CHARACTERS = 300

/** Ajv's errors as short messages that name the place and the rule; at most ten. */
export function toProblems(errors: readonly ErrorObject[]): string[] {
  const problems = [...new Set(errors.map(toProblem))]
  const more = problems.length - MAX_PROBLEMS
  return more > 0 ? [...problems.slice(0, MAX_PROBLEMS), `and ${more} more`] : problems
}

function toProblem(error: ErrorObject): string {
  const place = placeOf(error.instancePath)
  const text = `${error.message ?? `breaks the rule "${error.keyword}"`}${detail(error)}`
  return shortened(place === '' ? text : `${place}: ${text}`)
}

/** Details that Ajv's message leaves out. */
function detail({ keyword, params }: ErrorObject): string {
  switch (keyword) {
    case 'additionalProperties':
      return `: ${String(params.additionalProperty)}`
    case 'unevaluatedProperties':
      return `: ${String(params.unevaluatedProperty)}`
    case 'propertyNames':
      return `: ${String(params.propertyName)}`
    case 'enum':
      return `: ${(params.allowedValues as unknown[]).slice(0, 20).map(written).join(', ')}`
    case 'const':
      return `: ${written(params.allowedValue)}`
    default:
      return ''
  }
}

function written(value: unknown): string {
  return JSON.stringify(value)
}

/** A JSON pointer as a path: `items.0.name`. */
function placeOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

/** A text that is not longer than can be read. */
export function shortened(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text
}
