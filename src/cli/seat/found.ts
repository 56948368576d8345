import { ApiError } from '../../client.ts'

/** What a call gives, or `absent` if the gateway does not show it. */
export async function found<T>(call: Promise<T>, absent: Error): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 && error.code !== 'unexpected_response' ? absent : error
  }
}
