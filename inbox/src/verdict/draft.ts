import type { DecideOptions } from 'holdpoint/react'
import type { Decision } from '../../../src/protocol/decision.ts'
import type { JsonValue } from '../../../src/protocol/json/json.ts'

/** What a person is about to send. */
export type Draft =
  | { kind: 'decide'; decision: Decision; options?: DecideOptions }
  | { kind: 'answer'; value: JsonValue; comment?: string }

/** What the person is doing with the request. */
export type Mode = 'read' | 'edit' | 'reject' | 'respond'
