import { expect, it } from 'vitest'
import { parseClusterAddress } from './cluster-address.ts'

it('an address of one server is not one of a Cluster', () => {
  for (const url of ['redis://a:7000', 'rediss://a', 'postgres://a/b', '', 'redis+clusters://a'])
    expect(parseClusterAddress(url)).toBeUndefined()
})

it('nodes are separated by commas, and have the port of Redis unless they name one', () => {
  expect(parseClusterAddress('redis+cluster://a:7000,b,[::1]:7001/')).toEqual({
    nodes: [
      { host: 'a', port: 7000 },
      { host: 'b', port: 6379 },
      { host: '::1', port: 7001 },
    ],
    login: {},
    dns: {},
  })
})

it('user and password are for all nodes', () => {
  const logins = {
    'redis+cluster://ann:s%40c@a': { username: 'ann', password: 's@c' },
    'redis+cluster://:p@ss/w?rd,x@a:1': { password: 'p@ss/w?rd,x' },
    'redis+cluster://ann@a': { username: 'ann' },
    'redis+cluster://:100%@a': { password: '100%' },
  }
  for (const [url, login] of Object.entries(logins)) expect(parseClusterAddress(url), url).toMatchObject({ login })
})

it('with TLS, the names of nodes stay as they are, since certificates are for names', () => {
  const { login, dns } = parseClusterAddress('rediss+cluster://a:1')!
  expect(login).toEqual({ tls: {} })
  let found = ''
  dns.dnsLookup!('node.example', (_, address) => {
    found = address
  })
  expect(found).toBe('node.example')
})

it('what is no address is refused without quoting it', () => {
  for (const rest of ['', ',', 'a,', 'a:0', 'a:70000', 'a/1', 'a?x=1', 'a b', 'u:secret@']) {
    const parse = () => parseClusterAddress(`redis+cluster://${rest}`)
    expect(parse, rest).toThrow(/must be of the form redis\+cluster/)
    expect(parse, rest).not.toThrow(/secret/)
  }
})

it('user and password are given once', () => {
  for (const rest of ['u:secret@a:7000,u:secret@b:7000', ':secret@a,:secret@b', 'u:secret@[::1]:1,u:secret@b']) {
    const parse = () => parseClusterAddress(`redis+cluster://${rest}`)
    expect(parse, rest).toThrow(/given once/)
    expect(parse, rest).not.toThrow(/secret/)
  }
})
