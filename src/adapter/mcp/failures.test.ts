import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { failureOf } from './failures.ts'
import { loadSdk } from './sdk.ts'

const caused = (cause: unknown) => new TypeError('fetch failed', { cause })

test.each<[string, unknown, boolean, string]>([
  ['the connection closed', new McpError(ErrorCode.ConnectionClosed, 'Connection closed'), false, 'unknown'],
  ['a server that uses the same code', new McpError(ErrorCode.ConnectionClosed, 'closed on Sundays'), true, 'refused'],
  ['a time-out', new McpError(ErrorCode.RequestTimeout, 'late'), true, 'unknown'],
  ['wrong arguments', new McpError(ErrorCode.InvalidParams, 'no'), true, 'refused'],
  ['a session that is gone', new StreamableHTTPError(404, 'no session'), true, 'forgotten'],
  ['no permission', new StreamableHTTPError(403, 'no'), true, 'refused'],
  ['no sign-in', new UnauthorizedError(), true, 'refused'],
  ['a gateway that lost it', new StreamableHTTPError(502, 'bad gateway'), true, 'unknown'],
  ['an answer that is none', new StreamableHTTPError(-1, 'Unexpected content type'), true, 'unknown'],
  ['nobody listens', caused({ code: 'ECONNREFUSED' }), true, 'unsent'],
  [
    'nobody listens on any address',
    caused({ errors: [{ code: 'ECONNREFUSED' }, { code: 'EHOSTUNREACH' }] }),
    true,
    'unsent',
  ],
  [
    'one address may have got it',
    caused({ errors: [{ code: 'ECONNREFUSED' }, { code: 'ECONNRESET' }] }),
    true,
    'unknown',
  ],
  ['broken off', caused({ code: 'ECONNRESET' }), true, 'unknown'],
  ['an answer of another shape', Object.assign(new Error('shape'), { issues: [] }), true, 'unreadable'],
  ['anything else', 'thrown', true, 'unknown'],
])('%s', async (_what, error, connected, failure) => {
  expect(failureOf(error, { sdk: await loadSdk(), connected })).toBe(failure)
})
