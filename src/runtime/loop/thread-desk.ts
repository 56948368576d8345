import { findOpenRequest } from '../../core/queries.ts'
import type { RequestFacts } from '../../core/views/request-view.ts'
import type { RequestRef } from '../../desk/find.ts'
import type { DeskOptions } from '../../desk/options.ts'
import type { ThreadSlice } from '../../ports/store.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Journal } from '../journal/journal.ts'
import { checkEdit } from '../judging/check-edit.ts'

/** The desk of one thread. It checks edits with the agent's code, and folds what it writes into the journal at once. */
export function threadDesk(journal: Journal, agent: AgentDefinition, newId: IdSource): DeskOptions {
  const { store } = journal
  return {
    threadId: journal.state.threadId,
    newId,
    store: {
      tenantId: store.tenantId,
      getRequest: (id) => store.getRequest(id),
      findRequests: (query) => store.findRequests(query),
      // Folded entries need not be read again, if all of them are at hand.
      read: async (threadId, options) => (await readAll(journal)) ?? store.read(threadId, options),
      append: (append) => journal.append(append),
    },
    known: (ref) => knownRequest(journal, ref),
    checkEdit: async ({ opened }, decision, by) => {
      // Policies see the conversation.
      await journal.loadToDrive()
      return checkEdit({ agent, state: journal.state, opened, decision, by })
    },
  }
}

/** All stored entries. Reads only those that were not read before. `undefined`: earlier ones are not at hand. */
async function readAll(
  journal: Journal,
): Promise<Pick<ThreadSlice, 'entries' | 'version' | 'head' | 'now'> | undefined> {
  if (!journal.isWhole) return undefined
  await journal.catchUp()
  // It may have become long with what others have written.
  if (!journal.isWhole) return undefined
  const entries = journal.bodies.map(({ at, body }, index) => ({ seq: index + 1, at, body }))
  return { entries, version: entries.length, head: journal.head ?? '', now: journal.now() }
}

/** An open request from the folded state, by id only. The store resolves question ids. */
function knownRequest({ state }: Journal, ref: RequestRef): RequestFacts | undefined {
  const id = typeof ref === 'string' ? ref : ref?.id
  const asked = typeof id === 'string' ? findOpenRequest(state, id) : undefined
  if (!asked || asked.problems || asked.escalated) return undefined
  const { tenant, threadId } = state
  return { tenant, threadId, status: 'open', version: asked.version, opened: asked.opened, openedAt: asked.openedAt }
}
