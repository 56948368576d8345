import type { RequestFacts } from '../core/request-view.ts'
import type { Store } from '../ports/store.ts'
import type { Decision } from '../protocol/decision.ts'
import { parseBody } from '../protocol/versions.ts'
import { schemaProblems } from '../schema/compile.ts'
import type { EditCheck } from './decide.ts'

/**
 * Checks an edit as far as a door without the agent's code can: by the JSON Schema that was stored with the call. A pass is no release; the
 * driver runs the tool's own schema first.
 */
export async function checkStoredSchema(
  store: Pick<Store, 'read'>,
  facts: RequestFacts,
  decision: Extract<Decision, { type: 'edit' }>,
): Promise<EditCheck | undefined> {
  const { opened, threadId } = facts
  // Whether another tool may be chosen is for the agent's policy to say, and that is code.
  if (decision.toolName !== undefined && decision.toolName !== opened.toolName) {
    return {
      ok: false,
      problems: [`an edit here may not change the tool from ${opened.toolName} to ${decision.toolName}`],
    }
  }
  const own = opened.argsSchema ? schemaProblems(opened.argsSchema, decision.args) : []
  if (own.length > 0) return { ok: false, problems: own }
  const slice = await store.read(threadId)
  for (const { body, seq } of slice.entries) {
    if (!body.includes('"tool.defined"')) continue
    const entry = parseBody(body, { threadId, seq })
    if (entry.type !== 'tool.defined' || entry.definition !== opened.definition) continue
    const problems = schemaProblems(entry.parameters, decision.args)
    return problems.length > 0 ? { ok: false, problems } : undefined
  }
  return undefined
}
