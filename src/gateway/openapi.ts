import { z } from 'zod'
import { pollRequest, pollResponse, respondRequest } from '../protocol/hil.ts'
import { jsonObject } from '../protocol/message.ts'
import { eventsQuery } from './hil/events.ts'

/** The description of the HTTP interface, made from the schemas that check it. */
export function openApi(basePath: string): object {
  const refused = (description: string) => ({ description, content: json({ $ref: '#/components/schemas/Refusal' }) })
  const common = {
    400: refused('Malformed, too long, or too slow; or a reply that does not fit the question, which stays open.'),
    401: refused('No valid bearer token.'),
    404: refused('No such message stream (also one of somebody else), or no such open question.'),
    429: refused('Too many polls and connections of this caller wait. See Retry-After.'),
    500: refused('Something went wrong.'),
    503: refused('A backend is away. See Retry-After.'),
  }
  const { 429: _waits, ...withoutWaits } = common
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
            200: { description: 'The answer is stored' },
            ...withoutWaits,
            403: refused('This caller may read, but not answer.'),
          },
        },
      },
      '/hil/events': {
        get: {
          summary: 'Messages as they come, as server-sent events',
          parameters: [...queryParameters(), lastEventId],
          responses: { 200: { description: 'Events', content: { 'text/event-stream': {} } }, ...common },
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

function queryParameters(): object[] {
  const { properties = {}, required = [] } = schemaOf(eventsQuery) as {
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
