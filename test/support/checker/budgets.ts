import type { EntryOf } from '../../../src/protocol/entries/entry.ts'
import type { Story } from './check.ts'

/** No standing decision is used more often, or for more, than it says. A grant counts in all threads of its tenant. */
export function checkBudgets(stories: readonly Story[]): string[] {
  const spent = stories.flatMap(spentBy)
  const created = stories.flatMap(({ entries }) =>
    entries.flatMap(({ entry }) => (entry.type === 'grant.created' ? [entry.grant] : [])),
  )
  return created.flatMap(({ id, uses, cap }) => {
    const own = spent.filter(({ release }) => release.by.id === id)
    const amounts = own.map(({ release }) => release.amount ?? 0)
    const where = `grant ${id} in ${[...new Set(own.map(({ threadId }) => threadId))].join(', ')}`
    const sum = amounts.reduce((total, amount) => total + amount, 0)
    const problems: string[] = []
    if (uses !== undefined && amounts.length > uses)
      problems.push(`no budget is overspent: ${amounts.length} of ${uses} uses of ${where}`)
    if (cap && sum > cap.max) problems.push(`no budget is overspent: ${sum} of ${cap.max} of ${where}`)
    return problems
  })
}

/**
 * The uses of grants: one for each call that started on it. A release that was taken back before its call started costs nothing, and a call that is
 * released again, since its body never ran or may run twice, was paid for the first time.
 */
function spentBy({ threadId, entries }: Story): { threadId: string; release: EntryOf<'call.released'> }[] {
  const last = new Map<string, EntryOf<'call.released'>>()
  const spent = new Map<string, EntryOf<'call.released'>>()
  for (const { entry } of entries) {
    if (entry.type === 'call.released') last.set(entry.call, entry)
    const release = entry.type === 'call.started' ? last.get(entry.call) : undefined
    if (release?.by.kind === 'grant') spent.set(`${release.call} ${release.by.id}`, release)
  }
  return [...spent.values()].map((release) => ({ threadId, release }))
}
