import type { Store } from '../../../src/ports/store.ts'

/** The statuses of all requests of a store, oldest first. */
export async function requestsOf(store: Store): Promise<[string, string][]> {
  const { requests } = await store.findRequests({ limit: 100 })
  return requests
    .map((request): [string, string] => {
      const opened = JSON.parse(request.opened.body) as { questionId: string }
      return [opened.questionId, request.status]
    })
    .reverse()
}
