import type { GrantOptions, StandingGrant } from '../../index.ts'
import type { Style } from './style.ts'
import { relative, whenDue } from './time.ts'
import { safeJson, visible } from './visible.ts'

/** What is shown of a standing decision. */
export type ShownGrant = Omit<StandingGrant, 'tenant' | 'runId' | 'requestId' | 'definition' | 'cap'> & {
  runId?: string
  cap?: { field?: string; max: number }
}

/** A standing decision in three lines: what it says, how far it reaches, and where it comes from. */
export function grantLines(grant: ShownGrant, { style, now }: { style: Style; now: number }): string[] {
  const { effect, toolName, status } = grant
  const verb = effect === 'allow' ? 'runs' : 'is refused'
  const limits = [reachOf(grant), ...limitsOf(grant)].join(', ')
  const given = `given by ${visible(grant.by.id)} in ${visible(grant.threadId)} ${relative(grant.createdAt, now)}`
  const until = grant.expiresAt === undefined ? [] : [`${endWord(grant)} ${whenDue(grant.expiresAt, now)}`]
  const facts = [given, ...(status === 'active' ? [] : [standing(grant, now)]), ...until]
  return [
    `${style.accent(grant.id)}  ${style.bold(`${visible(toolName)} ${verb} without asking`)}`,
    `  ${limits}`,
    `  ${style.dim(facts.join('; '))}`,
  ]
}

/** What a decision that was just made means for later calls. */
export function laterCalls(
  call: { toolName: string; agent: string; rejected: boolean; inConversation: boolean },
  always: GrantOptions,
): string {
  const { scope = 'run', uses, cap, expiresInSeconds } = always
  const what = call.rejected ? 'are rejected' : 'run'
  const limits = [
    ...(uses === undefined ? [] : [`${uses} at most`]),
    ...(cap === undefined ? [] : [`${visible(cap.field)} up to ${cap.max} together`]),
    ...(expiresInSeconds === undefined ? [] : [`for ${expiresInSeconds} s`]),
  ]
  const who = scope === 'tenant' ? 'any agent' : visible(call.agent)
  const thread = call.inConversation ? ' in this conversation' : ' in this thread'
  const where = { run: ' in this run', thread, agent: ' in any thread', tenant: '' }[scope]
  const limit = limits.length > 0 ? ` (${limits.join(', ')})` : ''
  return `Later calls of ${visible(call.toolName)} by ${who}${where} ${what} without asking${limit}.`
}

function reachOf({ scope, agent, runId, inConversation }: ShownGrant): string {
  switch (scope) {
    case 'run':
      return `for ${visible(agent)} in ${runId === undefined ? 'its run' : `run ${visible(runId)}`}`
    case 'thread':
      return `for ${visible(agent)} in this ${inConversation ? 'conversation' : 'thread'}`
    case 'agent':
      return `for ${visible(agent)} in any thread`
    case 'tenant':
      return 'for any agent'
  }
}

function limitsOf({ args, uses, used, cap, spent = 0 }: ShownGrant): string[] {
  return [
    ...(args === undefined ? [] : [`where ${safeJson(args).replace(/\s+/g, ' ')}`]),
    ...(uses === undefined ? [`used ${used} ${used === 1 ? 'time' : 'times'}`] : [`used ${used} of ${uses}`]),
    ...(cap === undefined ? [] : [`${visible(cap.field ?? 'sum')} ${spent} of ${cap.max}`]),
  ]
}

function standing({ status, revoked }: ShownGrant, now: number): string {
  if (status !== 'revoked' || !revoked) return status === 'used_up' ? 'used up' : status
  const reason = revoked.reason === undefined ? '' : `: ${visible(revoked.reason)}`
  return `revoked by ${visible(revoked.by.id)} ${relative(revoked.at, now)}${reason}`
}

function endWord({ status }: ShownGrant): string {
  return status === 'expired' ? 'ended' : 'ends'
}
