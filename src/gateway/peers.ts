import { createRequire } from 'node:module'
import { lazy } from '../protocol/checks/lazy.ts'
import { peerFailure } from '../protocol/errors/peer-missing.ts'

/*
 * The packages that only users of the gateway install, each loaded where it is used. `import 'holdpoint/gateway'` works without them, and the function
 * that needs one says what to install. Most of these functions are synchronous, so they cannot use import().
 */
const require = createRequire(import.meta.url)

function load<T>(who: string, packages: string, loaded: () => T): T {
  try {
    return loaded()
  } catch (error) {
    throw peerFailure(who, packages, error)
  }
}

export const loadHono = lazy(() => load('createGateway', 'hono', () => require('hono') as typeof import('hono')))

export const loadJose = lazy(() => load('jwtAuth', 'jose', () => require('jose') as typeof import('jose')))

export const loadWs = (who: string) => load(who, 'ws', () => require('ws') as typeof import('ws'))

export async function loadNodeServer(): Promise<typeof import('@hono/node-server')> {
  try {
    return await import('@hono/node-server')
  } catch (error) {
    throw peerFailure('serve', '@hono/node-server ws', error)
  }
}
