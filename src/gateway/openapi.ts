import { z } from 'zod'
import { pollRequest, pollResponse, respondRequest } from '../protocol/hil/hil.ts'
import { jsonObject } from '../protocol/message.ts'
import { messagesQuery, messagesResponse, openQuery, openResponse } from './hil/batches.ts'
import { eventsQuery } from './hil/events.ts'
import { inboxRequest, inboxResponse } from './hil/inbox.ts'

/** The description of the HTTP interface, made from the schemas that check it. */
export function openApi(basePath: string): object {
  const refused = (description: string) => ({ description, content: json({ $ref: '#/components/schemas/Refusal' }) })
  const common = {
    400: refused('Malformed, too long, or too slow; or a reply that does not fit the question, which stays open.'),
    401: refused('No valid bearer token.'),
    404: {
      ...refused('No such message stream (also one of somebody else), or no such open question.'),
      headers: { 'holdpoint-gone': { schema: { enum: ['stream', 'question'] } } },
    },
    429: refused('Too many polls and connections of this caller wait, or it answers too often. See Retry-After.'),
    500: refused('Something went wrong.'),
    503: refused('A backend is away. See Retry-After.'),
  }
  const { 404: _session, ...withoutSession } = common
  return {
    openapi: '3.1.0',
    info: { title: 'holdpoint gateway', version: '1' },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ bearer: [] }],
    paths: {
      '/hil/poll': {
        post: {
          summary: 'Waits for one message after a position',
          requestBody: { required: true, content: json(schemaOf(pollRequest)) },
          responses: {
            200: { description: 'A message', content: json(schemaOf(pollResponse)) },
            204: { description: 'Nothing came in time' },
            ...common,
          },
        },
      },
      '/hil/respond': {
        post: {
          summary: 'Answers a question',
          requestBody: { required: true, content: json(schemaOf(respondRequest)) },
          responses: {
            200: {
              description: 'The answer is stored. holdpoint-delivery: unheard says that nobody waits for it right now.',
              headers: { 'holdpoint-delivery': { schema: { const: 'unheard' } } },
            },
            ...common,
            403: refused('This caller may read, but not answer.'),
          },
        },
      },
      '/hil/events': {
        get: {
          summary: 'Messages as they come, as server-sent events',
          parameters: [...queryParameters(eventsQuery), lastEventId],
          responses: { 200: { description: 'Events', content: { 'text/event-stream': {} } }, ...common },
        },
      },
      '/hil/open': {
        get: {
          summary: 'What is open now, however long the log is',
          parameters: queryParameters(openQuery),
          responses: { 200: { description: 'Open questions', content: json(schemaOf(openResponse)) }, ...common },
        },
      },
      '/hil/messages': {
        get: {
          summary: 'Messages after a position, many at a time',
          parameters: queryParameters(messagesQuery),
          responses: {
            200: { description: 'Messages', content: json(schemaOf(messagesResponse)) },
            204: { description: 'Nothing came in time' },
            ...common,
          },
        },
      },
      '/hil/inbox': {
        post: {
          summary: 'Waits for news in all sessions of the caller',
          requestBody: { required: true, content: json(schemaOf(inboxRequest)) },
          responses: {
            200: {
              description: 'Which sessions there are, what is open and what came',
              content: json(schemaOf(inboxResponse)),
            },
            204: { description: 'Nothing came in time' },
            ...withoutSession,
          },
        },
      },
      '/hil/inbox/events': {
        get: {
          summary: 'News in all sessions of the caller, as server-sent events',
          parameters: [lastEventId],
          responses: { 200: { description: 'Events', content: { 'text/event-stream': {} } }, ...withoutSession },
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
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Refusal: { type: 'object', required: ['detail'], properties: { detail: { type: 'string' } } } },
    },
  }
}

const lastEventId = { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } }

function queryParameters(query: z.ZodType): object[] {
  const { properties = {}, required = [] } = schemaOf(query) as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function json(schema: object): object {
  return { 'application/json': { schema } }
}

/** What is plain JSON by a check of its own has no schema to be told; objects are at least told to be objects. */
function schemaOf(schema: z.ZodType): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) === jsonObject) jsonSchema.type = 'object'
    },
  })
  return rest
}
