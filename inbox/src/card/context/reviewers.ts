import type { RequestItem } from 'holdpoint/client'
import { visible } from '../../../../src/core/display/visible.ts'
import type { Words } from '../../i18n/i18n.tsx'

/** Who may decide a request, in words. `undefined`: anybody who decides at all. */
export function reviewersText({ reviewers }: RequestItem, { group }: Words['card']): string | undefined {
  return reviewers
    ?.map((name) => visible(name.startsWith('group:') ? group(name.slice(6)) : name.replace(/^user:/, '')))
    .join(', ')
}
