// What /v1 takes and answers, for those who use the client.
export type { ApiSessionPage, Me, Role, SignedIn, SignIn } from '../../protocol/api/people.ts'
export type { PreviewResult } from '../../protocol/api/previews.ts'
export type {
  ApiGrantPage,
  ApiJournalPage,
  ApiThreadPage,
  AuditLine,
  Figures,
  GrantItem,
  LiveEvent,
  RequestEvent,
  RetryBody,
  ThreadDetail,
  Verification,
} from '../../protocol/api/records.ts'
export type {
  AnswerBody,
  ApiRequestPage,
  BulkBody,
  BulkResult,
  CancelBody,
  Counts,
  RequestComment,
  RequestDetail,
  RequestItem,
  StoryItem,
} from '../../protocol/api/requests.ts'
export type { Delivery, Webhook, WebhookBody, WebhookChange } from '../../protocol/api/webhooks.ts'
export type { Display, DisplayField, FieldFormat, TitlePart } from '../../protocol/display.ts'
