import type { HitlRequest } from '../../index.ts'
import { visible } from './visible.ts'

/** Where a call was made: in a thread, or in a host's conversation. */
export function placeText({ host, threadId }: Pick<HitlRequest, 'host' | 'threadId'>): string {
  return host ? `conversation ${visible(host.conversation)} of ${visible(host.source)}` : visible(threadId)
}

/** The host of a call that comes from outside, for a card. */
export function hostLines({ source, conversation, callId, principal }: NonNullable<HitlRequest['host']>): string[] {
  return [
    `${visible(source)}, conversation ${visible(conversation)}`,
    ...(principal === undefined ? [] : [`on behalf of ${visible(principal)}`]),
    ...(callId === undefined ? [] : [`call ${visible(callId)}`]),
  ]
}
