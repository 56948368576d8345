import type { Risk } from './request.ts'

/** The indexed fields of a request. The request itself is in the journal. */
export interface RequestRow {
  id: string
  questionId: string
  kind: 'approve' | 'confirm' | 'ask'
  agent: string
  tool: string | null
  assignee: string | null
  /** Its deadline while it is open. `null`: none. */
  expiresAt: number | null
  /** Everybody who is named as a reviewer, as `user:ID` or `group:NAME`. `null`: nobody is named, so it is for anybody. */
  readers: readonly string[] | null
  /** The reviewer lists, if there are several: who decides must be named in each. `null`: `readers` is the only one, or there is none. */
  lists: readonly (readonly string[])[] | null
  risk: Risk | null
  /** What a search looks at, in lower case. */
  text: string
}
