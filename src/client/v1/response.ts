import type { ApiRefusal } from '../../protocol/api/people.ts'
import type { RequestItem } from '../../protocol/api/requests.ts'
import { retryAfterMs } from '../http-facts.ts'
import { ApiError } from './api-error.ts'

/** The JSON of a response that was not refused. An error while it is read is one of the network. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    const detail = 'The response is not JSON: is this the address of a gateway?'
    throw new ApiError(response.status, 'unexpected_response', { detail, cause })
  }
}

/** Why a response was refused. */
export async function refusalOf(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const text = await response.text().catch(() => '')
  const { code, detail, request, problems } = parsed(text)
  return new ApiError(status, code ?? 'unexpected_response', {
    detail: detail ?? strange(text),
    ...(request === undefined ? {} : { request: request as RequestItem }),
    ...(problems === undefined ? {} : { problems }),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  })
}

/** Says what came in place of a gateway's JSON. */
function strange(text: string): string {
  const said = text.trim().slice(0, 500)
  return `Not the answer of a gateway: check the address, and what is on the way.${said === '' ? '' : ` It says: ${said}`}`
}

/** What is not a refusal of a gateway comes from something on the way. */
function parsed(text: string): Partial<ApiRefusal> {
  try {
    const body = JSON.parse(text) as Partial<ApiRefusal> | null
    return typeof body?.code === 'string' && typeof body.detail === 'string' ? body : {}
  } catch {
    return {}
  }
}
