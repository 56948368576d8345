import { mayHaveUsed } from '../../core/answer-keys.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import type { Actor } from '../../protocol/decision.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { DecisionInvalid, IdempotencyKeyReused } from '../../protocol/errors/errors.ts'
import { canonicalJson, sha256 } from '../../protocol/json/canonical.ts'
import { type JsonValue, jsonProblem } from '../../protocol/json/json.ts'
import { readSince, type ThreadSource } from '../record/fold-thread.ts'

/** An idempotency key and the digest of the content that was sent with it. */
export interface Keyed {
  key: string
  content: string
}

/** The version and head that a thread must still have for a search result to be valid. */
export type RestsOn = Pick<ThreadSlice, 'version' | 'head'>

/** The members that distinguish answers. Version and digest only say which request was meant. */
export interface AnswerContent {
  /** The name of its request, if it had one. */
  name: string | null
  said: unknown
  always: unknown
  comment: string | undefined
  undoSeconds: number | undefined
}

/** The key and content digest of one answer, or of a batch. */
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
 * Searches a thread for an answer of the same person with the same key. Resolves to the requests that it answered, if the content is the same, and
 * to the version and head of the thread that was searched. Throws if the content differs.
 */
export async function findRepeat(
  store: ThreadSource,
  threadId: string,
  { key, content, by }: Keyed & { by: Actor },
): Promise<RestsOn & { requests: string[] }> {
  const { entries, version, head } = await readSince(store, threadId, (state) => !mayHaveUsed(state, by, key))
  const requests: string[] = []
  let same = true
  for (const { body, seq } of entries) {
    // Most entries have no key, and parsing costs more than a string search.
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
