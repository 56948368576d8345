import type { DeskOptions } from '../desk/decide.ts'
import type { IdSource } from '../protocol/uuid.ts'
import type { Agent } from './agent.ts'
import { checkEdit } from './edits.ts'
import type { Journal } from './journal.ts'

/** The desk of one thread, with the agent's code to check edits with; what it writes is folded into the journal at once. */
export function journalDesk(journal: Journal, agent: Agent, newId: IdSource): DeskOptions {
  const { store } = journal
  return {
    threadId: journal.state.threadId,
    newId,
    store: {
      tenantId: store.tenantId,
      getRequest: (id) => store.getRequest(id),
      findRequests: (query) => store.findRequests(query),
      append: (append) => journal.append(append),
    },
    checkEdit: ({ opened }, decision, by) => checkEdit({ agent, state: journal.state, opened, decision, by }),
  }
}
