import type { JsonObject, JsonValue } from '../../../index.ts'
import { type HookAnswer, HookInvalid } from '../hook.ts'

/** A string of the input that must be there. */
export function stringOf(input: JsonObject, name: string): string {
  const value = input[name]
  if (typeof value !== 'string' || value === '') throw new HookInvalid(`${name} must be a string that is not empty`)
  return value
}

/** An object of the input that must be there. */
export function objectOf(input: JsonObject, name: string): JsonObject {
  const value = input[name]
  if (!isObject(value)) throw new HookInvalid(`${name} must be an object`)
  return value
}

/** The host's id of this use of a call, if it gives one. */
export function useOf({ tool_use_id: useId }: JsonObject): { useId?: string } {
  return typeof useId === 'string' && useId !== '' ? { useId } : {}
}

/** Those of the named members that are there, for policies. */
export function contextOf(input: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])))
}

/** The longest result that is kept: the journal is no place for whole files. */
const LONGEST = 10_000

/** What a tool returned, as text for the record. */
export function textOf(value: JsonValue | undefined): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length - LONGEST} more characters)` : text
}

/** Prints JSON and ends with 0. */
export function answerWith(value: JsonObject): HookAnswer {
  return { stdout: `${JSON.stringify(value)}\n`, stderr: '', exitCode: 0 }
}

/** Prints nothing and ends with 0. */
export const SILENT: HookAnswer = { stdout: '', stderr: '', exitCode: 0 }

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
