import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newSecret, OVERLAP_MS, rotated, signedHeaders } from './signature.ts'

const MESSAGE = { id: 'msg_1', now: 1_700_000_000_999, body: '{"a":1}' }

describe('signatures', () => {
  it('are those of Standard Webhooks, by its own example', () => {
    const headers = signedHeaders([{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }], {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      now: 1_614_265_330_000,
      body: '{"test": 2432232314}',
    })
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('are made with 32 random bytes', () => {
    const { secret } = newSecret()
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    expect(newSecret().secret).not.toBe(secret)
  })

  it('are made with the old secret too for a day after a rotation, and then no longer', () => {
    const first = [newSecret()]
    const second = rotated(first, MESSAGE.now)
    expect(second).toHaveLength(2)
    const during = signedHeaders(second, MESSAGE)['webhook-signature']!.split(' ')
    expect(during).toEqual(second.map(({ secret }) => expected(secret, MESSAGE.now)))
    const now = MESSAGE.now + OVERLAP_MS
    expect(signedHeaders(second, { ...MESSAGE, now })['webhook-signature']).toBe(expected(second[0]!.secret, now))
  })

  it('a second rotation does not extend the life of the first secret', () => {
    const [first] = [newSecret()]
    const twice = rotated(rotated([first!], MESSAGE.now), MESSAGE.now + 1000)
    expect(twice.map(({ until }) => until)).toEqual([
      undefined,
      MESSAGE.now + 1000 + OVERLAP_MS,
      MESSAGE.now + OVERLAP_MS,
    ])
  })
})

function expected(secret: string, now: number): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const content = `${MESSAGE.id}.${Math.floor(now / 1000)}.${MESSAGE.body}`
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
