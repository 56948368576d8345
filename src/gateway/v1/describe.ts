import type { z } from 'zod'
import { json, queryParameters, schemaOf } from '../http/json-schema.ts'
import type { Refusal } from '../refusal.ts'
import type { AnyRoute } from './api-route.ts'

const REASONS: Readonly<Record<Refusal['status'], string>> = {
  400: 'The path, query or body is invalid.',
  401: 'No valid credential.',
  403: 'This caller may read it, but not do this.',
  404: 'It does not exist, or the caller may not see it.',
  405: 'The path does not take this method.',
  409: 'It is not as the caller saw it. `request` shows it as it is now.',
  410: 'It was erased.',
  413: 'It is too large.',
  422: 'The edited arguments do not fit, or the idempotency key was used with another body.',
  429: 'Too many calls of this caller. See Retry-After.',
  500: 'Something went wrong.',
  503: 'A backend is unavailable. See Retry-After.',
}

/** Refusals of every route. */
const COMMON: readonly Refusal['status'][] = [401, 403, 429, 500, 503]
const TAKES = /:([A-Za-z]+)/g

/** The routes as paths of OpenAPI, made from the schemas that check them. */
export function apiPaths(routes: readonly AnyRoute[]): Record<string, object> {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.path.replace(TAKES, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return paths
}

function operation(route: AnyRoute): object {
  const { summary, query, body } = route
  const parameters = [
    ...pathParameters(route.path),
    ...(query ? queryParameters(query) : []),
    ...(route.keyed ? [idempotencyKey] : []),
  ]
  return {
    summary,
    ...('open' in route ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: json(schemaOf(body)) } } : {}),
    responses: { ...answerOf(route), ...refusalsOf(route) },
  }
}

function answerOf({ answer, status }: AnyRoute): object {
  if (answer === null) return { [status ?? 204]: { description: 'Done' } }
  const content = typeof answer === 'string' ? { [answer]: {} } : json(schemaOf(answer as z.ZodType, 'output'))
  return { [status ?? 200]: { description: 'Done', content } }
}

function refusalsOf({ path, query, body, keyed, refusals = [] }: AnyRoute): object {
  const statuses = new Set<Refusal['status']>([...COMMON, ...refusals])
  if (query || body) statuses.add(400)
  if (path.includes(':')) statuses.add(404)
  if (keyed) statuses.add(422)
  const content = json({ $ref: '#/components/schemas/ApiRefusal' })
  return Object.fromEntries([...statuses].sort().map((status) => [status, { description: REASONS[status], content }]))
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(TAKES)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a retry safe: the same key with the same body is done once.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}
