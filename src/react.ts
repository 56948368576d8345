export { type DecideOptions, type Deciding, useDecide } from './react/hooks/use-decide.ts'
export type { LoadedView } from './react/hooks/use-loaded.ts'
export { useClient, useCounts, useFigures, useGrants, useLive, useMe, useThread } from './react/hooks/use-records.ts'
export { type RequestChanged, type RequestView, useRequest } from './react/hooks/use-request.ts'
export { type RequestsOptions, type RequestsView, useRequests } from './react/hooks/use-requests.ts'
export type {
  DecideInput,
  InboxApi,
  ListFilter,
  LiveEvents,
  LiveState,
  WriteOptions,
} from './react/inbox-api.ts'
export { InboxProvider, type InboxProviderProps } from './react/provider.tsx'
export type { Difference } from './react/store/differences.ts'
export { codeOf, isAbsent, isUnreachable } from './react/store/errors.ts'
export type { LineState } from './react/store/live-line.ts'
export type { RequestListView } from './react/store/request-list.ts'
export type { Loaded } from './react/store/resource.ts'
export type { RequestRow } from './react/store/rows.ts'
export { type ActiveVerdict, SeenChanged, type Verdict, type VerdictState } from './react/store/verdict-log.ts'
