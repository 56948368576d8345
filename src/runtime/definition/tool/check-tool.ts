import type { ReviewOptions } from '../../../policy/policy.ts'
import { reviewProblem } from '../../../policy/review-options.ts'
import { isDuration } from '../../../protocol/checks/durations.ts'
import type { StandardSchema } from '../../../protocol/checks/standard-schema.ts'
import { ToolInvalid } from '../../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, jsonProblem } from '../../../protocol/json/json.ts'
import { type Risk, risks } from '../../../protocol/request.ts'
import type { ToolOptions } from './tool-options.ts'

/** The pattern of tool names. */
export const NAME = /^[A-Za-z0-9_.:/-]{1,128}$/

const KNOWN = new Set([
  'name',
  'aliases',
  'description',
  'parameters',
  'parametersJsonSchema',
  'annotations',
  'needsApproval',
  'isEnabled',
  'errorFunction',
  'onApproval',
  'review',
  'display',
  'line',
  'execute',
  'idempotent',
  'resumable',
  'onUnknownOutcome',
  'timeoutSeconds',
  'risk',
  'preview',
  'previewCheck',
  'preconditions',
  'inputGuardrails',
  'outputGuardrails',
])

export function checkOptions(name: string, options: Partial<Record<keyof ToolOptions<StandardSchema>, unknown>>): void {
  if (options.risk !== undefined && !risks.includes(options.risk as Risk))
    throw new ToolInvalid(name, `risk must be one of ${risks.join(', ')}`)
  for (const key of ['preview', 'preconditions', 'onApproval'] as const) {
    if (options[key] !== undefined && typeof options[key] !== 'function')
      throw new ToolInvalid(name, `${key} must be a function`)
  }
  if (options.previewCheck !== undefined && !['same', 'none'].includes(options.previewCheck as string))
    throw new ToolInvalid(name, `previewCheck must be 'same' or 'none'`)
  // A misspelt needsApproval would leave the gate open.
  const unknown = Object.keys(options).find((key) => !KNOWN.has(key))
  if (unknown !== undefined) throw new ToolInvalid(name, `there is no option "${unknown}"`)
  const { needsApproval, onUnknownOutcome, timeoutSeconds, idempotent, resumable } = options
  if (needsApproval !== undefined && typeof needsApproval !== 'boolean' && typeof needsApproval !== 'function') {
    throw new ToolInvalid(name, 'needsApproval must be a boolean or a function')
  }
  const { isEnabled, errorFunction } = options
  if (isEnabled !== undefined && typeof isEnabled !== 'boolean' && typeof isEnabled !== 'function')
    throw new ToolInvalid(name, 'isEnabled must be a boolean or a function')
  if (errorFunction !== undefined && errorFunction !== null && typeof errorFunction !== 'function')
    throw new ToolInvalid(name, 'errorFunction must be a function or null')
  const reviewing = options.review === undefined ? undefined : reviewProblem(options.review as ReviewOptions)
  if (reviewing !== undefined) throw new ToolInvalid(name, `its review ${reviewing}`)
  if (options.line !== undefined && (typeof options.line !== 'string' || options.line === ''))
    throw new ToolInvalid(name, 'line must be a string that is not empty')
  if (resumable !== undefined && typeof resumable !== 'boolean')
    throw new ToolInvalid(name, 'resumable must be a boolean')
  if (idempotent !== undefined && typeof idempotent !== 'boolean')
    throw new ToolInvalid(name, 'idempotent must be a boolean')
  if (onUnknownOutcome !== undefined && !['ask', 'retry', 'fail'].includes(onUnknownOutcome as string)) {
    throw new ToolInvalid(name, `onUnknownOutcome must be 'ask', 'retry' or 'fail'`)
  }
  if (timeoutSeconds !== undefined && !(isDuration(timeoutSeconds) && timeoutSeconds > 0)) {
    throw new ToolInvalid(name, 'timeoutSeconds must be a positive number')
  }
}

export function checkAliases(name: string, aliases: unknown = []): void {
  if (!Array.isArray(aliases)) throw new ToolInvalid(name, 'aliases must be an array of names')
  const wrong = aliases.find((one) => typeof one !== 'string' || !NAME.test(one) || one === name)
  if (wrong !== undefined)
    throw new ToolInvalid(name, `its alias "${wrong}" must be another name that matches [A-Za-z0-9_.:/-]{1,128}`)
}

export function checkAnnotations(name: string, annotations: unknown): JsonObject {
  const problem = jsonProblem(annotations, 'annotations')
  if (problem || typeof annotations !== 'object' || annotations === null || Array.isArray(annotations))
    throw new ToolInvalid(name, `its annotations must be a JSON object${problem ? `: ${problem}` : ''}`)
  return cloneJson(annotations as JsonObject)
}
