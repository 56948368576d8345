import type { Usage } from '../protocol/entries/entry.ts'

/** Adds usage. A model that reported none counts as one request. */
export function addUsage(usage: Usage, more: Usage | undefined): Usage {
  return {
    requests: usage.requests + (more?.requests ?? 1),
    inputTokens: usage.inputTokens + (more?.inputTokens ?? 0),
    outputTokens: usage.outputTokens + (more?.outputTokens ?? 0),
    totalTokens: usage.totalTokens + (more?.totalTokens ?? 0),
  }
}
