import { copyContext, openRun } from '../../core/open-run.ts'
import { checkAllowed, checkAnswerable, parseDecision } from '../../desk/answer/check.ts'
import { findRequest, type RequestRef } from '../../desk/find.ts'
import { parseActor } from '../../desk/record/on-record.ts'
import type { Store } from '../../ports/store.ts'
import type { PreviewResult } from '../../protocol/api/previews.ts'
import { requireStore } from '../../protocol/checks/check-options.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { type Actor, editOf } from '../../protocol/decision.ts'
import { DecisionInvalid } from '../../protocol/errors/errors.ts'
import { frameOf } from '../../protocol/ids.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { type Judges, requireAgents } from '../frames/frame-agents.ts'
import { Journal } from '../journal/journal.ts'
import { checkEdit } from '../judging/check-edit.ts'

/** The call that an edit would run, with its preview and preconditions; or why the edit would be refused. */
export type EditPreview =
  | {
      ok: true
      toolName: string
      /** The arguments that the body would get. */
      args: JsonObject
      digest: string
      preview?: JsonValue
      preconditions?: JsonValue
    }
  | { ok: false; problems: string[] }

/** An edit that nobody has decided yet. */
export interface ProposedEdit {
  /** The open request: its id, or any copy of it. */
  request: RequestRef
  args: JsonObject
  toolName?: string
  /** Who would decide; a string names a person. */
  by?: string | Actor
}

/**
 * Shows what an edit of an open request would do, before anybody decides it. It validates the edit, lets the policies judge it, and reads the preview
 * and preconditions of the edited call. Writes nothing. Throws, as deciding would, if the request cannot be edited or not by this person.
 */
export async function previewEdit(
  agent: AgentDefinition,
  edit: ProposedEdit,
  options: { store: Store; deps?: unknown },
): Promise<EditPreview> {
  requireKnown('previewEdit()', options, ['store', 'deps'])
  requireStore('previewEdit()', options?.store)
  return previewJudged({ agent }, edit, options)
}

/** The same, judged also by policies of the process. */
export async function previewJudged(
  judges: Judges,
  edit: ProposedEdit,
  options: { store: Store; deps?: unknown },
): Promise<EditPreview> {
  requireKnown('The edit of previewEdit()', edit, ['request', 'args', 'toolName', 'by'])
  const { request, by = 'local', ...edited } = edit
  const decision = editOf(parseDecision({ type: 'edit', ...edited }))
  if (!decision) throw new DecisionInvalid('previewEdit() takes an edit.')
  const actor = parseActor(by)
  const facts = await findRequest(options.store, request)
  const copy = typeof request === 'string' ? {} : { copy: request }
  checkAnswerable(facts, copy, false)
  checkAllowed(facts, decision.type, actor)
  const { state } = await Journal.openToDrive(options.store, facts.threadId)
  const run = openRun(state)
  requireAgents(judges.agent, run)
  const asked = { ...judges, state, opened: facts.opened, decision, by: actor }
  const { call } = facts.opened
  const context = copyContext(run, call === undefined ? run.id : frameOf(call))
  const check = await checkEdit(asked, { context, deps: options.deps })
  if (!check?.ok) return check ?? { ok: false, problems: ['it cannot be checked here'] }
  const { tool: toolName, args, digest, facts: read = {} } = check.edited
  const { previewCompare: _compare, ...shown } = read
  return { ok: true, toolName, args, digest, ...shown }
}

/** A preview as `/v1` tells it. */
export function toPreviewResult(shown: EditPreview): PreviewResult {
  if (!shown.ok) return { problems: shown.problems }
  const { digest, preview } = shown
  return { digest, ...(preview === undefined ? {} : { preview }), problems: [] }
}
