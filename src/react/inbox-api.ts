import type { InboxClient } from '../client/v1/inbox-client.ts'

/** What the hooks themselves need of a client. */
export type InboxApi = Pick<
  InboxClient,
  | 'me'
  | 'counts'
  | 'requests'
  | 'request'
  | 'decide'
  | 'answer'
  | 'cancel'
  | 'withdraw'
  | 'bulk'
  | 'grants'
  | 'revoke'
  | 'thread'
  | 'figures'
  | 'events'
>
