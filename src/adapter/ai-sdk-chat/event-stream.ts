import type { UiMessageChunk } from './chunk.ts'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
}

const KEEP_ALIVE_MS = 15_000

/** Chunks as a response that a page reads. A comment every 15 s keeps proxies from closing a connection on which nothing happens. */
export function eventStream(chunks: ReadableStream<UiMessageChunk>): Response {
  const encoder = new TextEncoder()
  const reader = chunks.getReader()
  let timer: ReturnType<typeof setInterval> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => controller.enqueue(encoder.encode(': waiting\n\n')), KEEP_ALIVE_MS)
      timer.unref?.()
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`))
        controller.enqueue(encoder.encode('data: [DONE]\n\n'))
        clearInterval(timer)
        controller.close()
      } catch (error) {
        clearInterval(timer)
        controller.error(error)
      }
    },
    async cancel(reason) {
      clearInterval(timer)
      await reader.cancel(reason)
    },
  })
  return new Response(body, { headers: HEADERS })
}
