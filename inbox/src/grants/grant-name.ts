import type { GrantItem } from 'holdpoint/client'
import type { words } from './words.ts'

/** What a grant does, in one line. */
export function nameOf({ decision, tool, scope, inConversation }: GrantItem, text: typeof words.en): string {
  const does = decision === 'approve' ? text.allows(tool) : text.refuses(tool)
  return text.inScope(does, text.scope[inConversation ? 'conversation' : scope] ?? scope)
}
