import { describe, expect, it } from 'vitest'
import { toNetworks } from './networks.ts'

describe('networks', () => {
  const none = toNetworks([])

  it.each([
    ...['127.0.0.1', '127.255.255.254', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['100.64.0.1', '100.100.100.200', '0.0.0.0', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['168.63.129.16', '203.0.113.7', '240.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1', '2001::1'],
    ...['::ffff:127.0.0.1', '::ffff:a00:1', '::ffff:169.254.169.254', '::127.0.0.1', '0:0:0:0:0:ffff:7f00:1'],
    ...['64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '3fff::1', '100::1', 'not an address', ''],
  ])('%s is not public', (address) => {
    expect(none.isPublic(address)).toBe(false)
    expect(none.isAllowed(address)).toBe(false)
  })

  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '::ffff:1.1.1.1',
  ])('%s is public', (address) => expect(none.isPublic(address)).toBe(true))

  it('a network that the operator names is allowed, also written as IPv4 inside of IPv6', () => {
    const some = toNetworks(['127.0.0.0/8', 'fd00::/8'])
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', 'fd12::1'])
      expect(some.isAllowed(address)).toBe(true)
    for (const address of ['10.0.0.1', '::1', 'fe80::1', '128.0.0.1']) expect(some.isAllowed(address)).toBe(false)
  })

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8/8', 'localhost/8', '::1/129', '', '10.0.0.0/-1', '10.0.0.0/ 8'])(
    'refuses %j as a network',
    (network) => expect(() => toNetworks([network])).toThrow(/is not a network/),
  )
})
