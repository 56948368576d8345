import { callDigest } from '../../core/digest.ts'
import type { Call, CallFacts, Release } from '../../core/state.ts'
import { isRecord } from '../../protocol/checks/returned.ts'
import { messageOf, ToolInvalid } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonEqual, jsonProblem } from '../../protocol/json/json.ts'
import type { FactsContext } from '../definition/approval.ts'
import { bodyArgs, type KnownArgs } from '../definition/args.ts'
import type { AgentDefinition, Tool } from '../definition/definition.ts'
import { ownerOf } from '../frames/frame-agents.ts'

/** Where the facts of a call are read from. */
export interface FactsSource {
  readonly agent: AgentDefinition
  factsContext(): FactsContext
}

/** A call that is no longer what was released, and what it is now. */
export interface ChangedCall {
  digest: string
  definition: string
  facts: CallFacts
  /** What its preview and preconditions were and are, where they differ. */
  details?: JsonObject
  /** What differs, by its path. */
  members: readonly string[]
}

/** How often a call may differ from what was approved before it is given up. */
export const MAX_ROUNDS = 3

const FACTS = ['preview', 'preconditions'] as const
type Fact = (typeof FACTS)[number]

/** What a call shows and depends on, read from the world now. A tool that cannot tell fails the turn: nothing runs unseen. */
export async function readFacts(
  tool: Tool,
  call: KnownArgs,
  ctx: FactsContext,
  wanted: readonly Fact[] = FACTS,
): Promise<CallFacts> {
  const facts: CallFacts = {}
  for (const what of wanted) {
    const read = tool[what]
    if (!read) continue
    const checked = await bodyArgs(tool.parameters, call)
    if (!checked.ok) continue
    const value = await told(tool, what, () =>
      (read as (args: unknown, ctx: FactsContext) => unknown)(checked.value, ctx),
    )
    if (what === 'preview' && isSplit(value))
      Object.assign(facts, { preview: value.show, previewCompare: value.compare })
    else facts[what] = value
  }
  return facts
}

/** A preview that says what of it is compared. */
function isSplit(value: JsonValue): value is { show: JsonValue; compare: JsonValue } {
  return isRecord(value) && Object.keys(value).length === 2 && 'show' in value && 'compare' in value
}

async function told(tool: Tool, what: Fact, read: () => unknown): Promise<JsonValue> {
  let value: unknown
  try {
    value = await read()
  } catch (error) {
    throw new ToolInvalid(tool.name, `its ${what} threw: ${messageOf(error)}`, error)
  }
  if (value === undefined)
    throw new ToolInvalid(tool.name, `its ${what} returned undefined; it must be plain JSON, null for nothing`)
  const problem = jsonProblem(value, what)
  if (problem) throw new ToolInvalid(tool.name, `its ${what} must be plain JSON: ${problem}`)
  return cloneJson(value as JsonValue)
}

/** What of a call's facts has to be the same when it runs. */
function compared(
  tool: Tool,
  { preview, previewCompare = preview, preconditions }: CallFacts,
): Partial<Record<Fact, JsonValue>> {
  return {
    ...(previewCompare === undefined || tool.previewCheck === 'none' ? {} : { preview: previewCompare }),
    ...(preconditions === undefined ? {} : { preconditions }),
  }
}

/** Compares a release with the tool and its facts as they are now (G3). `undefined`: it is still exactly what was approved. */
export async function changedCall(source: FactsSource, call: Call, release: Release): Promise<ChangedCall | undefined> {
  const tool = ownerOf(source.agent, call).requireTool(release.tool)
  return changedSince(tool, release, source.factsContext())
}

/** Compares what somebody was shown of a call with the tool and the world as they are now. */
export async function changedSince(
  tool: Tool,
  shown: KnownArgs & Pick<Release, 'tool' | 'facts' | 'digest'>,
  ctx: FactsContext,
): Promise<ChangedCall | undefined> {
  const exact = { tool: shown.tool, definition: tool.fingerprint, args: shown.args }
  const isSameTool = callDigest({ ...exact, ...shown.facts }) === shown.digest
  const before = compared(tool, shown.facts)
  const watched = FACTS.filter((what) => before[what] !== undefined)
  const read = await readFacts(tool, shown, ctx, watched)
  const now = compared(tool, read)
  const moved = watched.filter((what) => now[what] === undefined || !jsonEqual(before[what]!, now[what]))
  if (isSameTool && moved.length === 0) return undefined
  const others = FACTS.filter((what) => !watched.includes(what))
  const facts = { ...read, ...(await readFacts(tool, shown, ctx, others)) }
  const details = moved.map((what) => [what, { before: before[what] ?? null, now: now[what] ?? null }] as const)
  return {
    digest: callDigest({ ...exact, ...facts }),
    definition: tool.fingerprint,
    facts,
    ...(details.length > 0 ? { details: Object.fromEntries(details) } : {}),
    members: [
      ...(isSameTool ? [] : ['definition']),
      ...moved.flatMap((what) => differing(before[what], now[what], what)),
    ],
  }
}

/** Where two values differ, by path. */
function differing(before: JsonValue | undefined, now: JsonValue | undefined, path: string): string[] {
  if (!isRecord(before) || !isRecord(now))
    return before !== undefined && now !== undefined && jsonEqual(before, now) ? [] : [path]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return keys.flatMap((key) => differing(before[key] as JsonValue, now[key] as JsonValue, `${path}.${key}`))
}
