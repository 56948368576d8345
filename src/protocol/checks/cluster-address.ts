import { InputInvalid } from '../errors/errors.ts'

/** A Redis Cluster as ioredis wants it: nodes to ask first, and what every connection to a node needs. */
export interface ClusterAddress {
  readonly nodes: { readonly host: string; readonly port: number }[]
  /** User, password and TLS of each node. */
  readonly login: { readonly username?: string; readonly password?: string; readonly tls?: object }
  /** With TLS, names of nodes are not resolved here: their certificates are for the names. */
  readonly dns: { readonly dnsLookup?: (name: string, done: (error: null, address: string) => void) => void }
}

const SCHEME = /^redis(s?)\+cluster:\/\//i
/** A node of a list, behind a user and a password of its own. */
const LOGIN_EACH = /@(?:\[[\da-f:.]+\]|[^\s:/?#[\]@,]+)(?::\d{1,5})?,/i
const FORM = 'redis+cluster://user:password@host:port,host:port'

/**
 * Parses the address of a Redis Cluster, such as `redis+cluster://a:7000,b:7000` (`rediss+cluster` with TLS). One node that can be reached is enough:
 * it names the others. `undefined`: it is the address of something else.
 */
export function parseClusterAddress(url: string): ClusterAddress | undefined {
  const scheme = SCHEME.exec(url)
  if (!scheme) return undefined
  const rest = url.slice(scheme[0].length)
  // A password may hold an unescaped `@`.
  const at = rest.lastIndexOf('@')
  if (LOGIN_EACH.test(rest.slice(0, Math.max(at, 0))))
    throw new InputInvalid(
      `User and password of a Redis Cluster are given once, for all nodes: ${FORM}. In a password, @ is %40.`,
    )
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(rest.slice(0, Math.max(at, 0))) ?? []
  const nodes = rest
    .slice(at + 1)
    .replace(/\/$/, '')
    .split(',')
    .map(parseNode)
  const isSecure = scheme[1] !== ''
  return {
    nodes,
    login: {
      ...(user === '' ? {} : { username: decoded(user) }),
      ...(password === '' ? {} : { password: decoded(password) }),
      ...(isSecure ? { tls: {} } : {}),
    },
    dns: isSecure ? { dnsLookup: (name, done) => done(null, name) } : {},
  }
}

/** The message does not quote the address: it may hold a password. */
function parseNode(text: string): { host: string; port: number } {
  const [, bracketed, plain, port = '6379'] = /^(?:\[([\da-f:.]+)\]|([^\s:/?#[\]@]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new InputInvalid(`The address of a Redis Cluster must be of the form ${FORM}, without a database.`)
  return { host, port: Number(port) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
