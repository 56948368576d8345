import type { ThreadSlice } from '../ports/store.ts'
import type { Actor } from '../protocol/decision.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import { DecisionInvalid, IdempotencyKeyReused } from '../protocol/errors/errors.ts'
import { canonicalJson, sha256 } from '../protocol/json/canonical.ts'
import { type JsonValue, jsonProblem } from '../protocol/json/json.ts'
import type { ThreadSource } from './fold-thread.ts'

/** A key, and the digest of what came with it. */
export interface Keyed {
  key: string
  content: string
}

/** What a thread must still be like for what was found in it to hold. */
export type RestsOn = Pick<ThreadSlice, 'version' | 'head'>

/** What of an answer makes it another one. Version and digest only say what it was meant for. */
export interface AnswerContent {
  /** How it named its request, if it did. */
  name: string | null
  said: unknown
  always: unknown
  comment: string | undefined
  undoSeconds: number | undefined
}

/** Goes with the key of an answer, or of several that are given together. */
export function keyedContent(key: string | undefined, answers: readonly AnswerContent[]): Keyed | undefined {
  if (key === undefined) return undefined
  const given = answers.map(({ name, said, always, comment, undoSeconds }) => [
    name,
    said ?? null,
    always ?? null,
    comment ?? null,
    undoSeconds ?? 0,
  ])
  const problem = jsonProblem(given, 'answer')
  if (problem) throw new DecisionInvalid(`This answer is not plain JSON: ${problem}.`)
  return { key, content: sha256(canonicalJson(given as JsonValue)) }
}

/**
 * Looks in a thread for what the same person answered with the same key. Resolves to the requests that were answered then, if it was the same
 * answer, and to the version and head of the thread that this is true of. Another answer with the same key is refused.
 */
export async function findRepeat(
  store: Pick<ThreadSource, 'read'>,
  threadId: string,
  { key, content, by }: Keyed & { by: Actor },
): Promise<RestsOn & { requests: string[] }> {
  const { entries, version, head } = await store.read(threadId)
  const requests: string[] = []
  let same = true
  for (const { body, seq } of entries) {
    // Most entries have no key, and reading them costs more than looking.
    if (!body.includes('"idempotency"')) continue
    const entry = parseBody(body, { threadId, seq })
    if (entry.type !== 'request.decided' && entry.type !== 'request.answered') continue
    if (entry.idempotency?.key !== key || entry.by.kind !== by.kind || entry.by.id !== by.id) continue
    requests.push(entry.id)
    same &&= entry.idempotency.content === content
  }
  if (!same) throw new IdempotencyKeyReused(key, requests)
  return { version, head, requests }
}
