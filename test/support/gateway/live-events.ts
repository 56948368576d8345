import { onTestFinished } from 'vitest'
import type { LiveEvent } from '../../../src/protocol/api/records.ts'

/** What came on a stream of live events. */
interface Seen {
  text: string
  events: LiveEvent[]
  lastId: string | undefined
  ended: boolean
}

/** Opens `/v1/events` and collects what comes. It is left when the test is over. */
export async function openEvents(
  url: string,
  token: string | undefined,
  { lastEventId, headers = {} }: { lastEventId?: string; headers?: Record<string, string> } = {},
) {
  const cut = new AbortController()
  const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await fetch(`${url}/v1/events`, {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...resume, ...headers },
    signal: cut.signal,
  })
  const seen: Seen = { text: '', events: [], lastId: undefined, ended: false }
  const read = async (): Promise<void> => {
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      seen.text += chunk
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(seen, block)
    }
    seen.ended = true
  }
  const reading = read().catch(() => undefined)
  onTestFinished(() => cut.abort())
  return { response, seen, reading, leave: () => cut.abort() }
}

function take(seen: Seen, block: string): void {
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) seen.lastId = line.slice(4)
    if (line.startsWith('data: ')) seen.events.push(JSON.parse(line.slice(6)) as LiveEvent)
  }
}
