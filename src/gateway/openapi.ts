import type { z } from 'zod'
import { refusal as apiRefusal } from '../protocol/api/people.ts'
import { pollRequest, pollResponse, respondRequest } from '../protocol/hil/hil.ts'
import { messagesQuery, messagesResponse, openQuery, openResponse } from './hil/batches.ts'
import { eventsQuery } from './hil/events.ts'
import { inboxRequest, inboxResponse } from './hil/inbox.ts'
import { json, queryParameters, schemaOf } from './http/json-schema.ts'
import type { AnyRoute } from './v1/api-route.ts'
import { apiPaths } from './v1/describe.ts'

/** What a gateway serves. */
export interface Served {
  readonly hasStreams: boolean
  readonly routes: readonly AnyRoute[]
}

/** The description of the HTTP interface, made from the schemas that check it. */
export function openApi(basePath: string, { hasStreams, routes }: Served): object {
  return {
    openapi: '3.1.0',
    info: { title: 'holdpoint gateway', version: '1' },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ bearer: [] }],
    paths: {
      ...(hasStreams ? { ...questionPaths(), ...readPaths(), ...inboxPaths() } : {}),
      ...apiPaths(routes),
      ...healthPaths,
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: {
        Refusal: { type: 'object', required: ['detail'], properties: { detail: { type: 'string' } } },
        ...(routes.length > 0 ? { ApiRefusal: schemaOf(apiRefusal) } : {}),
      },
    },
  }
}

const refused = (description: string) => ({ description, content: json({ $ref: '#/components/schemas/Refusal' }) })
const NOTHING = { 204: { description: 'Nothing came in time' } }
const EVENTS = { 200: { description: 'Events', content: { 'text/event-stream': {} } } }

/** Refusals of every endpoint that needs a token. */
const refusals = () => ({
  400: refused('Malformed, too long, or too slow; or a reply that does not fit the question, which stays open.'),
  401: refused('No valid bearer token.'),
  429: refused('Too many polls and connections of this caller are waiting, or it answers too often. See Retry-After.'),
  500: refused('Something went wrong.'),
  503: refused('A backend is unavailable. See Retry-After.'),
})

/** The same for endpoints of one session. */
const sessionRefusals = () => ({
  ...refusals(),
  404: {
    ...refused('No such message stream (or it belongs to another caller), or no such open question.'),
    headers: { 'holdpoint-gone': { schema: { enum: ['stream', 'question'] } } },
  },
})

const ok = (description: string, schema: z.ZodType) => ({ 200: { description, content: json(schemaOf(schema)) } })
const bodyOf = (schema: z.ZodType) => ({ required: true, content: json(schemaOf(schema)) })

function questionPaths(): object {
  return {
    '/hil/poll': {
      post: {
        summary: 'Waits for one message after a position',
        requestBody: bodyOf(pollRequest()),
        responses: { ...ok('A message', pollResponse()), ...NOTHING, ...sessionRefusals() },
      },
    },
    '/hil/respond': {
      post: {
        summary: 'Answers a question',
        requestBody: bodyOf(respondRequest()),
        responses: {
          200: {
            description: 'The answer is stored. holdpoint-delivery: unheard says that nobody waits for it right now.',
            headers: { 'holdpoint-delivery': { schema: { const: 'unheard' } } },
          },
          ...sessionRefusals(),
          403: refused('This caller may read, but not answer.'),
        },
      },
    },
  }
}

function readPaths(): object {
  return {
    '/hil/events': {
      get: {
        summary: 'Messages as they come, as server-sent events',
        parameters: [...queryParameters(eventsQuery), lastEventId],
        responses: { ...EVENTS, ...sessionRefusals() },
      },
    },
    '/hil/open': {
      get: {
        summary: 'What is open now, however long the log is',
        parameters: queryParameters(openQuery),
        responses: { ...ok('Open questions', openResponse), ...sessionRefusals() },
      },
    },
    '/hil/messages': {
      get: {
        summary: 'Messages after a position, many at a time',
        parameters: queryParameters(messagesQuery),
        responses: { ...ok('Messages', messagesResponse), ...NOTHING, ...sessionRefusals() },
      },
    },
  }
}

function inboxPaths(): object {
  return {
    '/hil/inbox': {
      post: {
        summary: 'Waits for news in all sessions of the caller',
        requestBody: bodyOf(inboxRequest),
        responses: {
          ...ok('Which sessions there are, what is open and what came', inboxResponse),
          ...NOTHING,
          ...refusals(),
        },
      },
    },
    '/hil/inbox/events': {
      get: {
        summary: 'News in all sessions of the caller, as server-sent events',
        parameters: [lastEventId],
        responses: { ...EVENTS, ...refusals() },
      },
    },
  }
}

const healthPaths = {
  '/metrics': {
    get: {
      summary:
        'Counters of this process in the text format of Prometheus, for the metrics token and the operator tenant',
      responses: {
        200: { description: 'Metrics', content: { 'text/plain': {} } },
        401: refused('No valid bearer token.'),
        403: refused('This caller is not an operator or admin of the tenant that runs the gateway.'),
        503: refused('Tokens cannot be checked right now.'),
      },
    },
  },
  '/healthz': {
    get: { summary: 'Whether the process runs', security: [], responses: { 200: { description: 'Yes' } } },
  },
  '/readyz': {
    get: {
      summary: 'Whether requests can be served',
      security: [],
      responses: { 200: { description: 'Yes' }, 503: { description: 'No' } },
    },
  },
}

const lastEventId = { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } }
