import type { DecideInput } from '../../client/v1/inbox-client.ts'
import type { AnswerBody, CancelBody, RequestItem } from '../../protocol/api/requests.ts'

/** What was seen goes with every verdict, taken from the request itself. */
type Seen = 'version' | 'digest' | 'shown'

/** What a person wants to send: a decision about an `approve` request, or the answer to a `confirm` or an `ask`, or why it cannot be answered. */
export type Verdict =
  | ({ kind: 'decide' } & Omit<DecideInput, Seen>)
  | ({ kind: 'answer' } & Omit<AnswerBody, Seen>)
  | ({ kind: 'cancel' } & Omit<CancelBody, Seen>)

/** What a verdict names of the request that was seen. */
export function seenOf({ version, digest, shown }: RequestItem): Pick<DecideInput, Seen> {
  return { version, ...(digest === undefined ? {} : { digest }), ...(shown === undefined ? {} : { shown }) }
}
