import { fetchProblem } from '../http-facts.ts'
import { ApiError, NetworkError } from './api-error.ts'
import type { ApiCall, Http } from './http.ts'

/** The values of a response in JSON Lines, as they come. A response that breaks off throws `NetworkError`. */
export async function* jsonLines<T>(http: Http, call: ApiCall): AsyncGenerator<T, void, void> {
  const cut = new AbortController()
  const { signal } = call
  const response = await http.open({ ...call, signal: signal ? AbortSignal.any([signal, cut.signal]) : cut.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    while (reader) {
      const { done, value = '' } = await reader.read().catch((cause: unknown) => {
        signal?.throwIfAborted()
        throw new NetworkError(`The response broke off: ${fetchProblem(cause)}`, { cause })
      })
      const lines = (rest + value).split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      for (const line of lines) if (line !== '') yield parsed(response, line) as T
      if (done) return
    }
  } finally {
    cut.abort()
  }
}

function parsed({ status }: Response, line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    const detail = 'A line of the response is not JSON: is this the address of a gateway?'
    throw new ApiError(status, 'unexpected_response', { detail, cause })
  }
}
