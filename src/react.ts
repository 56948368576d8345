export { type DecideOptions, type Deciding, useDecide } from './react/hooks/use-decide.ts'
export type { LoadedView } from './react/hooks/use-loaded.ts'
export {
  type ThreadView,
  useClient,
  useCounts,
  useFigures,
  useGrants,
  useLive,
  useMe,
  useSignOut,
  useThread,
} from './react/hooks/use-records.ts'
export { type RequestChanged, type RequestView, useRequest } from './react/hooks/use-request.ts'
export { type RequestsOptions, type RequestsView, useRequests } from './react/hooks/use-requests.ts'
export { AskForm, type AskFormProps } from './react/parts/ask-form.tsx'
export { EditForm, type EditFormProps } from './react/parts/edit-form.tsx'
export { FieldValue, type FieldValueProps } from './react/parts/field-value.tsx'
export type { PartProps } from './react/parts/part-props.ts'
export { RequestCard, type RequestCardProps } from './react/parts/request-card.tsx'
export { SafeText, type SafeTextProps } from './react/parts/safe-text.tsx'
export { type PartWords, PartWordsProvider } from './react/parts/words.tsx'
export { InboxProvider, type InboxProviderProps } from './react/provider.tsx'
export type { Difference } from './react/store/differences.ts'
export { codeOf, isAbsent, isUnreachable } from './react/store/errors.ts'
export type { LineState } from './react/store/live-line.ts'
export type { RequestListView } from './react/store/request-list.ts'
export type { Loaded } from './react/store/resource.ts'
export type { RequestRow } from './react/store/rows.ts'
export type { Verdict } from './react/store/verdict.ts'
export { type ActiveVerdict, SeenChanged, type VerdictState } from './react/store/verdict-log.ts'
