// Compiled with `lib: dom` and without the types of Node: what runs in a browser, and what a stream of text is there.
import type { AgentEvent, HitlRequest, StreamedRunResult } from 'holdpoint'
import { createClient } from 'holdpoint/client'

export async function print(stream: StreamedRunResult): Promise<string> {
  let text = ''
  for await (const piece of stream.toTextStream()) text += piece.toUpperCase()
  return text
}

export async function toPage(stream: StreamedRunResult): Promise<Response> {
  return new Response(stream.toTextStream().pipeThrough(new TextEncoderStream()))
}

export const open = (request: HitlRequest): boolean => request.status === 'open'
export const typeOf = (event: AgentEvent): string => event.type
export const client = createClient({ url: 'http://localhost' } as never)
