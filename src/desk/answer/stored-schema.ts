import type { RequestFacts } from '../../core/views/request-view.ts'
import type { Decision } from '../../protocol/decision.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import { schemaProblems } from '../../schema/compile.ts'
import type { EditCheck } from '../options.ts'
import { foldThread, type ThreadSource } from '../record/fold-thread.ts'

/**
 * Checks an edit without the agent's code, against the JSON Schema that is stored with the call. Passing does not release the call: the loop checks
 * it with the tool's own schema first.
 */
export function storedSchemaCheck(
  store: ThreadSource,
): (facts: RequestFacts, decision: Extract<Decision, { type: 'edit' }>) => Promise<EditCheck | undefined> {
  const schemas = new StoredSchemas(store)
  return (facts, decision) => check(schemas, facts, decision)
}

async function check(
  schemas: StoredSchemas,
  facts: RequestFacts,
  decision: Extract<Decision, { type: 'edit' }>,
): Promise<EditCheck | undefined> {
  const { opened, threadId } = facts
  // Only the agent's policy, which is code, can allow another tool.
  if (decision.toolName !== undefined && decision.toolName !== opened.toolName) {
    return {
      ok: false,
      problems: [`an edit here may not change the tool from ${opened.toolName} to ${decision.toolName}`],
    }
  }
  const own = opened.argsSchema ? schemaProblems(opened.argsSchema, decision.args) : []
  if (own.length > 0) return { ok: false, problems: own }
  const schema = opened.definition === undefined ? undefined : await schemas.find(threadId, opened.definition)
  const problems = schema ? schemaProblems(schema, decision.args) : []
  return problems.length > 0 ? { ok: false, problems } : undefined
}

const MAX_KEPT = 100

/** A cache of the tool schemas stored in threads. Finding one means reading its thread, and a stored schema never changes. */
class StoredSchemas {
  readonly #store: ThreadSource
  readonly #kept = new Map<string, JsonObject>()

  constructor(store: ThreadSource) {
    this.#store = store
  }

  async find(threadId: string, definition: string): Promise<JsonObject | undefined> {
    const key = `${threadId} ${definition}`
    const known = this.#kept.get(key)
    if (known) return known
    const { state } = await foldThread(this.#store, threadId)
    const parameters = state.definitions.get(definition)?.parameters
    if (!parameters) return undefined
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    this.#kept.set(key, parameters)
    return parameters
  }
}
