export type { BackOffOptions } from './client/back-off.ts'
export { ClientError, type ClientErrorCode } from './client/client-error.ts'
export type { ConnectionOptions } from './client/connection.ts'
export { type Client, type ClientOptions, createClient } from './client/create-client.ts'
export type { SessionState } from './client/feed/read-feed.ts'
export type { InboxInterrupt, InboxMessage } from './client/feed/read-inbox.ts'
export type { MessagesOptions } from './client/feed/read-messages.ts'
export type { Inbox, InboxChange } from './client/inbox.ts'
export { type ClientInterrupt, type ClientMessage, type ClientNotification, requestOf } from './client/message.ts'
export type { RespondOptions, RespondOutcome } from './client/respond.ts'
export type { RemoteCall, RemoteHandler, RemoteHandlers } from './client/serve-tools.ts'
export type { Session, SessionChange } from './client/session.ts'
export { ApiError, NetworkError, type Refused } from './client/v1/api-error.ts'
export { createInboxClient, type InboxClientOptions } from './client/v1/create-inbox-client.ts'
export type {
  CallOptions,
  DecideInput,
  InboxClient,
  PageQuery,
  RequestListFilter,
  StoryQuery,
  WebhookCalls,
  WriteOptions,
} from './client/v1/inbox-client.ts'
export type { EventsOptions, LiveEvents, LiveState } from './client/v1/live.ts'
export type {
  AnswerBody,
  ApiGrantPage,
  ApiJournalPage,
  ApiRequestPage,
  ApiSessionPage,
  ApiThreadPage,
  AuditLine,
  BulkBody,
  BulkResult,
  CancelBody,
  Counts,
  Delivery,
  Display,
  DisplayField,
  FieldFormat,
  Figures,
  GrantItem,
  LiveEvent,
  Me,
  PreviewResult,
  RequestComment,
  RequestDetail,
  RequestEvent,
  RequestItem,
  RetryBody,
  Role,
  SignedIn,
  SignIn,
  StoryItem,
  ThreadDetail,
  TitlePart,
  Verification,
  Webhook,
  WebhookBody,
  WebhookChange,
} from './client/v1/types.ts'
