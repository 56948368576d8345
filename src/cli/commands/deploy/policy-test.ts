import { HoldpointError, type Policy } from '../../../index.ts'
import { type BoundPolicy, composeVerdicts } from '../../../policy/compose.ts'
import type { ToolFacts } from '../../../policy/policy.ts'
import { messageOf, PolicyFailed } from '../../../protocol/errors/errors.ts'
import type { Call, Command } from '../../command-line/command.ts'
import { CliError } from '../../command-line/errors.ts'
import { loadPolicies } from '../../command-line/load-policies.ts'
import { callLine } from '../../render/request.ts'
import { quoted, safeJson, visible } from '../../render/visible.ts'
import { padTo } from '../../render/width.ts'
import { withJournals } from '../../seat/journals.ts'
import { type Decided, type Recorded, recordedCalls } from '../../store/recorded-calls.ts'

/** Tries a policy out on recorded calls. Nothing is asked, run or stored. */
export const policyTest: Command = {
  name: 'policy test',
  summary: 'replay recorded calls through a policy',
  about:
    'Prints which calls would now be asked about, run or denied, and were not before. Nothing is asked, run or stored.',
  usage: 'FILE [--thread ID] [--fail-on-change]',
  options: {
    thread: { value: 'ID', help: 'only calls of this thread (default: all threads)' },
    'fail-on-change': { help: 'exit with 1 if the verdict on any call changes: for CI' },
  },
  remote: true,
  positionals: { min: 1, max: 1 },
  examples: ['policy test policy.mjs --thread order-42', 'policy test dist/policy.js --fail-on-change'],
  run: async (call) =>
    withJournals(call, async (journals) => {
      const module = await loadPolicyModule(call)
      const recorded: Recorded[] = []
      for (const thread of await journals.threads())
        recorded.push(...recordedCalls(thread, await journals.read(thread)))
      const policies = bindAll(module, toolsOf(recorded, module.tools))
      const judged: Judged[] = []
      for (const each of recorded) judged.push({ ...each, ...(await judgeNow(policies, each)) })
      const summary = summarise(judged)
      if (call.flag('json')) call.context.out(safeJson(toJson(policies, judged, summary)))
      else print(call, judged, summary)
      const changed = summary.asked + summary.run + summary.denied > 0
      return summary.failed > 0 || (changed && call.flag('fail-on-change')) ? 1 : 0
    }),
}

interface PolicyModule {
  policies: readonly Policy[]
  /** Tools that nobody called but the policy names. */
  tools: readonly ToolFacts[]
}

type Said = 'allow' | 'review' | 'deny'

interface Judged extends Recorded {
  /** Absent if the call never reached a policy, or the policy failed. */
  now?: Said
  reason?: string
  error?: string
}

async function loadPolicyModule(call: Call): Promise<PolicyModule> {
  const { policies, tools } = await loadPolicies(call, call.args[0] ?? '')
  const named: unknown[] = Array.isArray(tools) ? tools : []
  return {
    // A shadow policy is tried out as if it counted.
    policies: policies.map((one) => ({ ...one, shadow: false, bind: (known) => one.bind(known) })),
    tools: named.map((one) => (typeof one === 'string' ? { name: one } : (one as ToolFacts))),
  }
}

/** The tools that were called, and those that the module exports as `tools`. */
function toolsOf(recorded: readonly Recorded[], named: readonly ToolFacts[]): ToolFacts[] {
  const tools = new Map<string, ToolFacts>()
  for (const { call, verdict, risk } of recorded) {
    const { toolName: name } = call
    if (verdict.kind === 'invalid' && !tools.has(name)) continue
    tools.set(name, { name, risk: risk ?? tools.get(name)?.risk })
  }
  for (const { name, risk } of named) tools.set(name, { name, risk: risk ?? tools.get(name)?.risk })
  return [...tools.values()]
}

function bindAll({ policies }: PolicyModule, tools: readonly ToolFacts[]): BoundPolicy[] {
  try {
    return policies.map((policy) => ({ policy, judge: policy.bind(tools) }))
  } catch (error) {
    if (!HoldpointError.isInstance(error) || error.code !== 'policy_invalid') throw error
    const hint = 'Tools that were never called are not known here: export them from the file as `tools`.'
    throw new CliError('policy_invalid', `${messageOf(error)} ${hint}`)
  }
}

async function judgeNow(
  policies: readonly BoundPolicy[],
  recorded: Recorded,
): Promise<Pick<Judged, 'now' | 'reason' | 'error'>> {
  const { call, verdict, risk, ownReview } = recorded
  if (verdict.kind === 'invalid') return {}
  try {
    const own = { verdict: ownReview ? 'review' : 'allow' } as const
    const { verdict: now } = await composeVerdicts(policies, call, { own, risk })
    if (now.kind === 'deny') return { now: 'deny', reason: now.reason }
    return now.kind === 'invalid' ? {} : { now: now.kind }
  } catch (error) {
    if (!(error instanceof PolicyFailed)) throw error
    // The rest of the message is about a turn, and there is none here.
    return { error: error.message.replace(/\. Nothing of this turn ran;.*$/, '.') }
  }
}

interface Summary {
  calls: number
  asked: number
  run: number
  denied: number
  same: number
  failed: number
  /** Unknown tools, and arguments that do not fit the schema: no policy was asked. */
  invalid: number
}

const CHANGE = { review: 'asked', allow: 'run', deny: 'denied' } as const

/** How the verdict on a call changes. */
function changeOf({ verdict, now }: Judged): 'asked' | 'run' | 'denied' | undefined {
  return now === undefined || now === verdict.kind ? undefined : CHANGE[now]
}

function summarise(judged: readonly Judged[]): Summary {
  const count = (test: (one: Judged) => boolean): number => judged.filter(test).length
  return {
    calls: judged.length,
    asked: count((one) => changeOf(one) === 'asked'),
    run: count((one) => changeOf(one) === 'run'),
    denied: count((one) => changeOf(one) === 'denied'),
    same: count(({ verdict, now }) => now === verdict.kind),
    failed: count(({ error }) => error !== undefined),
    invalid: count(({ verdict }) => verdict.kind === 'invalid'),
  }
}

function toJson(policies: readonly BoundPolicy[], judged: readonly Judged[], summary: Summary): unknown {
  return {
    policies: policies.map(({ policy: { name, version } }) => ({ name, version })),
    calls: judged.map((one) => ({
      tenant: one.tenant,
      threadId: one.threadId,
      seq: one.seq,
      at: new Date(one.at).toISOString(),
      toolName: one.call.toolName,
      toolCallId: one.call.toolCallId,
      args: one.call.args,
      agent: one.call.agent,
      before: one.verdict.kind,
      now: one.now ?? null,
      change: changeOf(one) ?? null,
      decided: one.decided ?? null,
      ...(one.reason === undefined ? {} : { reason: one.reason }),
      ...(one.error === undefined ? {} : { error: one.error }),
    })),
    summary,
  }
}

const WIDTH = 'review → review'.length

function print({ context }: Call, judged: readonly Judged[], summary: Summary): void {
  const { style } = context
  let heading = ''
  for (const one of judged) {
    const name = `${visible(one.threadId)}${one.tenant === 'default' ? '' : ` (tenant ${visible(one.tenant)})`}`
    if (name !== heading) context.out(style.bold(name))
    heading = name
    const { kind } = one.verdict
    const said = one.error === undefined ? (one.now ?? kind) : 'fails'
    const column = padTo(said === kind ? kind : `${kind} → ${said}`, WIDTH)
    context.out(`  ${said === kind ? style.dim(column) : style.accent(column)}  ${callLine(one.call)}`)
    const why = one.error ?? one.reason
    for (const note of [why === undefined ? undefined : quoted(why), one.decided && decidedText(one.decided)])
      if (note !== undefined) context.out(`  ${' '.repeat(WIDTH)}  ${style.dim(note)}`)
  }
  if (judged.length === 0) return context.out('There are no recorded calls.')
  const { calls, asked, run, denied, same, failed, invalid } = summary
  context.out(
    '',
    `${calls} ${calls === 1 ? 'call' : 'calls'}: ${asked} newly asked, ${run} newly run, ${denied} newly denied, ${same} as before.`,
  )
  if (failed > 0) context.out(style.bad(`${failed} could not be judged: the policy failed.`))
  if (invalid > 0)
    context.out(`${invalid} never reached a policy: the tool is unknown, or the arguments do not fit its schema.`)
}

const DECIDED = {
  approve: 'approved',
  edit: 'approved with changes',
  reject: 'rejected',
  respond: 'answered in its place',
  expired: 'nobody decided in time',
  cancelled: 'the question was cancelled',
  aborted: 'the question was aborted',
  superseded: 'the question was superseded',
} satisfies Record<Decided['type'], string>

/** How the request was settled, and by whom if a person decided. */
function decidedText({ type, by }: Decided): string {
  return by.kind === 'person' || by.kind === 'grant'
    ? `${DECIDED[type]} by ${by.kind} ${visible(by.id)}`
    : DECIDED[type]
}
