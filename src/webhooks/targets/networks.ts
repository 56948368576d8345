import { BlockList, isIP } from 'node:net'
import { InputInvalid } from '../../protocol/errors/errors.ts'

/** Networks that are not the public Internet: this machine, private and shared networks, link-local (metadata services too), documentation, multicast. */
const NOT_PUBLIC_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  // The last is the metadata service of Azure's machines, at a public address.
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
]

/** Public IPv6 is 2000::/3 without these: Teredo and other special ones, documentation, 6to4. NAT64 (64:ff9b::/96) and ULA are outside of it. */
const PUBLIC_6 = '2000::/3'
const NOT_PUBLIC_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Which addresses may be connected to. */
export interface Networks {
  /** Whether the operator named any network. */
  readonly hasAllowed: boolean
  /** Whether the operator named a network with this address. */
  isAllowed(address: string): boolean
  /** Whether it is an address of the public Internet. */
  isPublic(address: string): boolean
}

/** Reads the operator's list, such as `['10.1.0.0/16', 'fd00::/8']`. */
export function toNetworks(allowed: readonly string[]): Networks {
  const allow = listOf(allowed)
  const not4 = listOf(NOT_PUBLIC_4)
  const some6 = listOf([PUBLIC_6])
  const not6 = listOf(NOT_PUBLIC_6)
  return {
    hasAllowed: allowed.length > 0,
    isAllowed: (address) => isIn(allow, toPlain(address)),
    isPublic(given) {
      const address = toPlain(given)
      switch (isIP(address)) {
        case 4:
          return !isIn(not4, address)
        case 6:
          return isIn(some6, address) && !isIn(not6, address)
        default:
          return false
      }
    },
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const each of networks) {
    const [address = '', bits = '', ...more] = String(each).split('/')
    const version = isIP(address)
    const most = version === 4 ? 32 : 128
    if (version === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most)
      throw new InputInvalid(`"${each}" is not a network such as "10.0.0.0/8" or "fd00::/8".`)
    list.addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** An IPv4 address inside of an IPv6 address (`::ffff:10.0.0.1`) as IPv4. A zone (`fe80::1%eth0`) is dropped. */
function toPlain(given: string): string {
  const [address = ''] = given.split('%')
  if (isIP(address) !== 6) return address
  // URL writes every IPv6 address the same way.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(plain)
  if (!mapped) return plain
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
