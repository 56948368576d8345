import { requireStore } from '../../protocol/checks/check-options.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import type { Tool } from '../definition/definition.ts'
import { Journal } from '../journal/journal.ts'
import type { LoadOptions } from './state-options.ts'

/** Opens the journal that `RunState.load` is for: with its conversation, or lean. */
export async function openJournal(
  options: LoadOptions,
  tools: readonly Tool[],
): Promise<{ journal: Journal; lean: boolean }> {
  requireKnown('RunState.load()', options, ['threadId', 'store', 'messages'])
  requireStore('RunState.load()', options?.store)
  const { store, messages = false } = options
  if (typeof messages !== 'boolean') throw new InputInvalid('messages must be true or false.')
  const threadId = parseThreadId(options.threadId)
  const journal = await (messages
    ? Journal.open(store, threadId)
    : Journal.openLean(store, threadId, { chunks: 'few' }))
  journal.state.definitions.share(tools)
  return { journal, lean: !messages }
}
