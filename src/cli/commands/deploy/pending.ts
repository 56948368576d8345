import { apply } from '../../../core/fold/fold.ts'
import { openRequests } from '../../../core/queries.ts'
import { emptyState, type ThreadState } from '../../../core/state.ts'
import type { Agent } from '../../../index.ts'
import { parseBody } from '../../../protocol/entries/versions.ts'
import { type Assessment, assess } from '../../../runtime/restore/assess.ts'
import type { Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { loadAgents } from '../../command-line/load-agents.ts'
import { quoted, safeJson, visible } from '../../render/visible.ts'
import { type JournalEntry, withJournals } from '../../seat/journals.ts'
import type { ThreadName } from '../../store/list-threads.ts'

/** Says which paused runs a new release of the agents would affect. Nothing is changed. */
export const pending: Command = {
  name: 'pending',
  summary: 'check which paused runs these agents can resume',
  about: 'Each run is unaffected, needs a second look, or cannot go on. Nothing is changed.',
  usage: '--against FILE [--thread ID]',
  options: {
    against: { value: 'FILE', help: 'a module that exports the new agents' },
    thread: { value: 'ID', help: 'only this thread (default: all threads)' },
  },
  remote: true,
  positionals: { min: 0, max: 0 },
  examples: ['pending --against dist/agents.js', 'pending --against dist/agents.js --json'],
  run: async (call) =>
    withJournals(call, async (journals) => {
      const file = call.text('against')
      if (file === undefined) throw new UsageError('pending needs --against FILE: the module with the new agents')
      const agents = await loadAgents(call, file)
      const found: Found[] = []
      for (const thread of await journals.threads()) {
        const state = fold(thread, await journals.read(thread))
        if (state.run?.status === 'open')
          found.push({ ...thread, open: openRequests(state).length, ...judge(agents, state) })
      }
      const { context } = call
      if (call.flag('json')) context.out(safeJson({ threads: found, ...count(found) }))
      else for (const line of print(found)) context.out(line)
      return found.some(({ kind }) => kind === 'impossible') ? 1 : 0
    }),
}

interface Found extends ThreadName, Assessment {
  open: number
}

/** Of several versions of an agent the run's own counts, else the one that suits the run best. */
function judge(agents: readonly Agent[], state: ThreadState): Assessment {
  const { id, version } = state.run?.agent ?? { id: '' }
  const same = agents.filter((agent) => agent.id === id)
  const own = same.filter((agent) => agent.version === version)
  const verdicts = (own.length > 0 ? own : same.length > 0 ? same : agents).map((agent) => assess(agent, state))
  const best = ['unaffected', 'second-look', 'impossible'] as const
  return best.flatMap((kind) => verdicts.filter((one) => one.kind === kind))[0] as Assessment
}

function fold({ tenant, threadId }: ThreadName, entries: readonly JournalEntry[]): ThreadState {
  const state = emptyState(tenant, threadId)
  for (const { seq, at, body } of entries) apply(state, parseBody(body, { threadId, seq }), at)
  return state
}

function count(found: readonly Found[]): Record<'unaffected' | 'secondLook' | 'impossible', number> {
  const of = (kind: Assessment['kind']): number => found.filter((one) => one.kind === kind).length
  return { unaffected: of('unaffected'), secondLook: of('second-look'), impossible: of('impossible') }
}

const WORDS: Record<Assessment['kind'], string> = {
  unaffected: 'unaffected',
  'second-look': 'second look',
  impossible: 'cannot go on',
}

function print(found: readonly Found[]): string[] {
  if (found.length === 0) return ['No run is under way.']
  const { unaffected, secondLook, impossible } = count(found)
  return [
    ...found.flatMap(({ kind, threadId, tenant, open, reasons }) => [
      `${WORDS[kind].padEnd(13)} ${quoted(threadId)}${tenant === 'default' ? '' : ` (tenant ${quoted(tenant)})`}, ${open} open request(s)`,
      ...reasons.map((reason) => `${' '.repeat(14)}${visible(reason)}`),
    ]),
    '',
    `${unaffected} unaffected, ${secondLook} to look at again, ${impossible} that cannot go on. Nothing was changed.`,
  ]
}
