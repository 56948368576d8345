import { openEvents } from './live-events.ts'

/** Follows the events of gateways as a page does: it comes back after each end, with the last id, to the gateway that `url` names then. */
export function follow(url: () => string, token: string) {
  const seen = { ids: [] as string[], resets: 0, ready: false, ended: false }
  let lastEventId: string | undefined
  void (async () => {
    while (!seen.ended) {
      const stream = await openEvents(url(), token, lastEventId === undefined ? {} : { lastEventId }).catch(
        () => undefined,
      )
      if (!stream) continue
      let taken = 0
      const take = (): void => {
        lastEventId = stream.seen.lastId ?? lastEventId
        seen.ready ||= lastEventId !== undefined
        for (const event of stream.seen.events.slice(taken)) {
          if (event.type === 'reset') seen.resets += 1
          else seen.ids.push(event.id)
        }
        taken = stream.seen.events.length
      }
      const timer = setInterval(take, 5)
      await stream.reading
      clearInterval(timer)
      take()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  return { seen, stop: () => (seen.ended = true) }
}
