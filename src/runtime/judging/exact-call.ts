import { callDigest } from '../../core/digest.ts'
import type { Call, CallFacts, Release } from '../../core/state.ts'
import { isRecord } from '../../protocol/checks/returned.ts'
import { messageOf, ToolInvalid } from '../../protocol/errors/errors.ts'
import { type FrameKey, frameOf } from '../../protocol/ids.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonEqual, jsonProblem } from '../../protocol/json/json.ts'
import type { AgentDefinition, Tool } from '../definition/definition.ts'
import type { FactsContext } from '../definition/tool/approval.ts'
import { bodyArgs, type KnownArgs } from '../definition/tool/args.ts'
import { ownerOf } from '../frames/frame-agents.ts'

/** The agent, and the live objects that its tools read facts with. */
export interface FactsSource {
  readonly agent: AgentDefinition
  /** The argument for `preview` and `preconditions` of the calls of a frame. */
  factsContext(frame: FrameKey): FactsContext
}

/** The current state of a call that differs from what was released. */
export interface ChangedCall {
  digest: string
  definition: string
  facts: CallFacts
  /** The old and new values of its preview and preconditions, where they differ. */
  details?: JsonObject
  /** The paths of the members that differ. */
  members: readonly string[]
}

/** The number of changes after which a call is refused and not asked about again. */
export const MAX_ROUNDS = 3

const FACTS = ['preview', 'preconditions'] as const
type Fact = (typeof FACTS)[number]

/** Reads the preview and preconditions of a call now. An error fails the turn, so that nothing runs unseen. */
export async function readFacts(
  tool: Tool,
  call: KnownArgs,
  { ctx, wanted = FACTS }: { ctx: FactsContext; wanted?: readonly Fact[] },
): Promise<CallFacts> {
  const facts: CallFacts = {}
  for (const what of wanted) {
    const read = tool[what]
    if (!read) continue
    const checked = await bodyArgs(tool.parameters, call)
    if (!checked.ok) continue
    const value = await readFact(tool, what, () =>
      (read as (args: unknown, ctx: FactsContext) => unknown)(checked.value, ctx),
    )
    if (what === 'preview' && isSplit(value))
      Object.assign(facts, { preview: value.show, previewCompare: value.compare })
    else facts[what] = value
  }
  return facts
}

/** Whether a preview is `{ show, compare }`. */
function isSplit(value: JsonValue): value is { show: JsonValue; compare: JsonValue } {
  return isRecord(value) && Object.keys(value).length === 2 && 'show' in value && 'compare' in value
}

async function readFact(tool: Tool, what: Fact, read: () => unknown): Promise<JsonValue> {
  let value: unknown
  try {
    value = await read()
  } catch (error) {
    throw new ToolInvalid(tool.name, `its ${what} threw: ${messageOf(error)}`, error)
  }
  if (value === undefined)
    throw new ToolInvalid(tool.name, `its ${what} returned undefined; it must return plain JSON (null for nothing)`)
  const problem = jsonProblem(value, what)
  if (problem) throw new ToolInvalid(tool.name, `its ${what} must be plain JSON: ${problem}`)
  return cloneJson(value as JsonValue)
}

/** The facts that must be unchanged when the call runs. */
function compared(
  tool: Tool,
  { preview, previewCompare = preview, preconditions }: CallFacts,
): Partial<Record<Fact, JsonValue>> {
  return {
    ...(previewCompare === undefined || tool.previewCheck === 'none' ? {} : { preview: previewCompare }),
    ...(preconditions === undefined ? {} : { preconditions }),
  }
}

/** Compares a release with the current tool and facts (G3). `undefined`: it is still exactly what was approved. */
export async function changedCall(source: FactsSource, call: Call, release: Release): Promise<ChangedCall | undefined> {
  const tool = ownerOf(source.agent, call).requireTool(release.tool)
  return changedSince(tool, release, source.factsContext(frameOf(call.key)))
}

/** Compares the call that was shown with the current tool and facts. */
export async function changedSince(
  tool: Tool,
  shown: KnownArgs & Pick<Release, 'tool' | 'facts' | 'digest'>,
  ctx: FactsContext,
): Promise<ChangedCall | undefined> {
  const exact = { tool: shown.tool, definition: tool.fingerprint, args: shown.args }
  const isSameTool = callDigest({ ...exact, ...shown.facts }) === shown.digest
  const before = compared(tool, shown.facts)
  const watched = FACTS.filter((what) => before[what] !== undefined)
  const read = await readFacts(tool, shown, { ctx, wanted: watched })
  const now = compared(tool, read)
  const moved = watched.filter((what) => now[what] === undefined || !jsonEqual(before[what]!, now[what]))
  if (isSameTool && moved.length === 0) return undefined
  const others = FACTS.filter((what) => !watched.includes(what))
  const facts = { ...read, ...(await readFacts(tool, shown, { ctx, wanted: others })) }
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

/** The paths at which two values differ. */
function differing(before: JsonValue | undefined, now: JsonValue | undefined, path: string): string[] {
  if (!isRecord(before) || !isRecord(now))
    return before !== undefined && now !== undefined && jsonEqual(before, now) ? [] : [path]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return keys.flatMap((key) => differing(before[key] as JsonValue, now[key] as JsonValue, `${path}.${key}`))
}
