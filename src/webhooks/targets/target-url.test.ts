import { describe, expect, it } from 'vitest'
import { toWebhookSettings } from '../options.ts'
import { urlProblem } from './target-url.ts'

describe('the URL of a webhook', () => {
  const strict = toWebhookSettings()
  const local = toWebhookSettings({ allowNetworks: ['127.0.0.0/8'] })

  it.each(['https://example.com/hooks?x=1', 'https://example.com:8443/', 'https://1.1.1.1/'])(
    '%s is accepted',
    (url) => {
      expect(urlProblem(url, strict)).toBeUndefined()
    },
  )

  it.each([
    ['http://example.com/', /https/],
    ['ftp://example.com/', /https/],
    ['file:///etc/passwd', /https/],
    ['https://user:secret@example.com/', /user name/],
    ['https://user@example.com/', /user name/],
    ['https://example.com/#part', /fragment/],
    ['nonsense', /absolute/],
    [`https://example.com/${'x'.repeat(2000)}`, /2000/],
    ['https://127.0.0.1/', /public Internet/],
    ['https://2130706433/', /public Internet/],
    ['https://0x7f.1/', /public Internet/],
    ['https://[::1]/', /public Internet/],
    ['https://[::ffff:169.254.169.254]/', /public Internet/],
    ['https://1.1.1.1:22/', /Port 22/],
  ])('%s is refused', (url, why) => {
    expect(urlProblem(url, strict)).toMatch(why)
  })

  it('an allowed network may have plain http and any port, and others still may not', () => {
    expect(urlProblem('http://127.0.0.1:81/', local)).toBeUndefined()
    expect(urlProblem('http://10.0.0.1/', local)).toMatch(/public Internet/)
    expect(urlProblem('http://1.1.1.1/', local)).toMatch(/https/)
  })
})
