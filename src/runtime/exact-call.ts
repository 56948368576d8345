import { callDigest } from '../core/digest.ts'
import type { Call, CallFacts, Release } from '../core/state.ts'
import { messageOf, ToolInvalid } from '../protocol/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonEqual, jsonProblem } from '../protocol/json.ts'
import { checkArgs } from './args.ts'
import { ownerOf } from './cast.ts'
import type { Driver } from './driver.ts'
import type { FactsContext, Tool } from './tool.ts'

/** A call that is no longer what was released, and what it is now. */
export interface ChangedCall {
  digest: string
  definition: string
  facts: CallFacts
  /** What its preconditions were and are, if that is the difference. */
  details?: JsonObject
}

/** What a call shows and depends on, read from the world now. A tool that cannot tell fails the turn: nothing runs unseen. */
export async function readFacts(tool: Tool, args: JsonObject, ctx: FactsContext): Promise<CallFacts> {
  const facts: CallFacts = {}
  for (const what of ['preview', 'preconditions'] as const) {
    const read = tool[what]
    if (!read) continue
    const value = await told(tool, what, async () => {
      const checked = await checkArgs(tool.parameters, args)
      return checked.ok ? (read as (args: unknown, ctx: FactsContext) => unknown)(checked.value, ctx) : undefined
    })
    if (value !== undefined) facts[what] = value
  }
  return facts
}

async function told(tool: Tool, what: string, read: () => Promise<unknown>): Promise<JsonValue | undefined> {
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

/** Compares a release with the tool and its preconditions as they are now (G3). `undefined`: it is still exactly what was approved. */
export async function changedCall(driver: Driver, call: Call, release: Release): Promise<ChangedCall | undefined> {
  const tool = ownerOf(driver.agent, call).requireTool(release.tool)
  const { args, facts } = release
  const exact = { tool: release.tool, definition: tool.fingerprint, args }
  const now = facts.preconditions === undefined ? {} : await readFacts(tool, args, driver.factsContext())
  const { preconditions } = now
  const same =
    callDigest({ ...exact, ...facts, ...(preconditions === undefined ? {} : { preconditions }) }) === release.digest
  if (same && (facts.preconditions === undefined || preconditions !== undefined)) return undefined
  const read = facts.preconditions === undefined ? await readFacts(tool, args, driver.factsContext()) : now
  const moved = facts.preconditions !== undefined && !jsonEqual(facts.preconditions, preconditions)
  return {
    digest: callDigest({ ...exact, ...read }),
    definition: tool.fingerprint,
    facts: read,
    ...(moved
      ? { details: { preconditions: { before: facts.preconditions ?? null, now: preconditions ?? null } } }
      : {}),
  }
}
