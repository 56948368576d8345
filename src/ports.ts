export { ChannelBase, type ChannelOptions } from './channel/base.ts'
export { QuestionQueue } from './channel/question-queue.ts'
export type {
  Asked,
  Channel,
  ChannelObserver,
  ConfirmOptions,
  Presentation,
  WaitEnding,
  WaitOptions,
} from './ports/channel.ts'
export type { Clock } from './ports/clock.ts'
export type { ListenerErrorHandler } from './ports/listeners.ts'
export type {
  HostedMcpServer,
  Model,
  ModelApprovalRequest,
  ModelPart,
  ModelRequest,
  ModelResponse,
  ModelToolCall,
} from './ports/model.ts'
export type { OutboxPage, OutboxQuery, OutboxRow, OutboxStore, OutboxSubject } from './ports/outbox.ts'
export { type ApprovalResponse, toApprovalResponse } from './ports/provider-approval.ts'
export type { ConsumeOptions, Consumer, Queue, RingOptions, WakeUp } from './ports/queue.ts'
export type {
  RecordChange,
  RecordOutcome,
  RecordPage,
  RecordQuery,
  RecordStore,
  StoredRecord,
} from './ports/records.ts'
export type { Session, SessionItem } from './ports/session.ts'
export type { ChunksWanted, SnapshotWrite, StoredSnapshot } from './ports/snapshot.ts'
export { FEW_CHUNKS, SHORT_CHUNK } from './ports/snapshot.ts'
export type {
  Append,
  AppendOutcome,
  Conflict,
  GrantChange,
  GrantRow,
  Lease,
  LeaseChange,
  RequestChange,
  RequestRow,
  Store,
  ThreadSlice,
} from './ports/store.ts'
export type {
  CountLimit,
  DuePage,
  DueQuery,
  DueRequest,
  GrantPage,
  GrantQuery,
  GrantReach,
  GrantStatus,
  ReaderThread,
  ReaderThreadPage,
  ReaderThreadQuery,
  ReadyPage,
  ReadyQuery,
  ReadyThread,
  RequestCount,
  RequestCountQuery,
  RequestOrder,
  RequestPage,
  RequestQuery,
  StoredGrant,
  StoredRequest,
  ThreadName,
  ThreadPage,
  ThreadQuery,
} from './ports/store-lists.ts'
export type { ChainedEntry, StoredEntry, ThreadHead } from './ports/stored-entry.ts'
export type {
  QuestionRead,
  ReaderSession,
  ReadOptions,
  ReplyRead,
  SessionFacts,
  SessionsOptions,
  StreamMessage,
  StreamRead,
  Streams,
  WaitForReply,
} from './ports/streams.ts'
export type { PartQuery, ThreadPart } from './ports/thread-part.ts'
export type { WakeChange, WakeMark } from './ports/wake.ts'
export type { HeadMac } from './protocol/chain/audit-key.ts'
export type { StoreLimits } from './protocol/checks/limits.ts'
export type { Actor } from './protocol/decision.ts'
export {
  DriverConflict,
  HilContentError,
  HilMsgStreamMissingError,
  HilStreamExists,
  HilStreamTakenOver,
  HoldpointError,
  InputInvalid,
  LimitExceeded,
  ModelFailed,
  ModelResponseInvalid,
  PeerMissing,
  QueueFailed,
  SessionFailed,
  StoreBehind,
  StoreBusy,
  StoreClosed,
  StoreCorrupt,
  StoreFailed,
  StoreNewer,
  StoreOutdated,
  StreamsClosed,
  StreamsFailed,
} from './protocol/errors/errors.ts'
export type { HilMessage, HilReply } from './protocol/hil/hil.ts'
export type { JsonObject, JsonValue } from './protocol/json/json.ts'
export type { AssistantMessage, Content, Message, Part } from './protocol/message.ts'
export type { HitlRequest, RequestStatus } from './protocol/request.ts'
