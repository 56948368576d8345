import { describe, expect, it } from 'vitest'
import { holdpoint, tempDir } from '../support/programs.ts'
import { seed } from '../support/store.ts'

const URL_OPTION = ['--url', 'http://127.0.0.1:1025']

describe('the options of a gateway', () => {
  it.each([
    [[...URL_OPTION], 'needs a token'],
    [[...URL_OPTION, '--token', 't', '--store', 'x.db'], '--store is for a store'],
    [[...URL_OPTION, '--token', 't', '--tenant', 'acme'], '--tenant is for a store'],
    [['--token', 't'], '--token needs --url'],
    [['--url', 'gateway', '--token', 't'], '--url must be the address of a gateway'],
    [['--url', 'http://ann:secret@localhost', '--token', 't'], 'must not have a password'],
  ])('%j is wrong usage: %s', (options, problem) => {
    const { code, stderr } = holdpoint(tempDir(), ['requests', ...options])
    expect(stderr).toContain(problem)
    expect(code).toBe(2)
  })

  it('a claimed name or group is refused: the token says who decides', () => {
    for (const claim of ['--as', '--group']) {
      const { code, stderr } = holdpoint(tempDir(), ['approve', 'abcd', ...URL_OPTION, '--token', 't', claim, 'boss'])
      expect(stderr).toContain(`${claim} is for a store`)
      expect(code).toBe(2)
    }
  })

  it('a gateway that does not answer is unreachable, also in JSON, and the token is not printed', () => {
    const env = { HOLDPOINT_URL: 'http://127.0.0.1:1025', HOLDPOINT_TOKEN: 'very-secret' }
    const { code, stderr } = holdpoint(tempDir(), ['requests', '--json'], env)
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'unreachable' } })
    expect(stderr).not.toContain('very-secret')
    expect(code).toBe(1)
  })

  it('--store rules HOLDPOINT_URL out', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'hi' }])
    const env = { HOLDPOINT_URL: 'http://127.0.0.1:1025', HOLDPOINT_TOKEN: 't' }
    const { stdout } = holdpoint(dir, ['requests', '--store', '.holdpoint/holdpoint.db'], env)
    expect(stdout).toContain(id)
  })
})
