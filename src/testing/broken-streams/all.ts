import type { BrokenStreams } from './broken-streams.ts'
import { brokenHolding } from './holding.ts'
import { brokenMessages } from './messages.ts'
import { brokenSessions } from './sessions.ts'
import { brokenWaiting } from './waiting.ts'

/** All deliberately broken message streams. The streams suite must reject each, by the cases that it names. */
export const brokenStreams: readonly BrokenStreams[] = [
  ...brokenSessions,
  ...brokenMessages,
  ...brokenWaiting,
  ...brokenHolding,
]
