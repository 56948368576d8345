import { describe, expect, it } from 'vitest'
import { holdpoint, tempDir } from '../support/programs.ts'
import { seed } from '../support/store.ts'

interface Listed {
  grants: { id: string; status: string; [key: string]: unknown }[]
}

function listed(dir: string, ...options: string[]): Listed['grants'] {
  const done = holdpoint(dir, ['grants', '--json', ...options])
  expect(done).toMatchObject({ code: 0, stderr: '' })
  return (JSON.parse(done.stdout) as Listed).grants
}

describe('grants from the command line', () => {
  it('are given with approve --always, with how far they go', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'hi', size: 3 }])
    const options = ['--scope', 'agent', '--uses', '5', '--expires', '8h', '--cap', 'size=100']
    const given = holdpoint(dir, ['approve', id, '--always', ...options])
    expect(given).toMatchObject({ code: 0, stderr: '' })
    expect(given.stdout).toContain(
      'Later calls of send by mailer in any thread run without asking (5 at most, size up to 100 together, for 28800 s).',
    )
    expect(listed(dir)).toMatchObject([
      {
        effect: 'allow',
        status: 'active',
        scope: 'agent',
        agent: 'mailer',
        toolName: 'send',
        uses: 5,
        used: 0,
        cap: { field: 'size', max: 100 },
        spent: 0,
        requestId: id,
        by: { kind: 'person', id: 'tester', via: 'cli' },
      },
    ])
    const shown = holdpoint(dir, ['grants']).stdout
    expect(shown).toContain('send runs without asking\n  for mailer in any thread, used 0 of 5, size 0 of 100\n')
    // Eight hours, less the moment that has passed.
    expect(shown).toMatch(/ends in [78] hours/)
    expect(shown).toContain('npx holdpoint revoke ID')
  })

  it('are given with reject --always too', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'hi' }])
    const given = holdpoint(dir, ['reject', id, '--always', '--scope', 'tenant'])
    expect(given.stdout).toContain('Later calls of send by any agent are rejected without asking.')
    expect(listed(dir)).toMatchObject([{ effect: 'deny', scope: 'tenant' }])
    expect(holdpoint(dir, ['grants']).stdout).toContain('send is refused without asking\n  for any agent')
  })

  it('are taken back by the end of their id, once, with who and why', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'hi' }])
    holdpoint(dir, ['approve', id, '--always'])
    const [grant] = listed(dir)
    const end = grant!.id.slice(-8)
    const revoked = holdpoint(dir, ['revoke', end, '--as', 'bob', '--reason', 'enough'])
    expect(revoked).toMatchObject({ code: 0, stderr: '' })
    expect(revoked.stdout).toContain('revoked by bob just now: enough')
    expect(listed(dir)).toEqual([])
    expect(listed(dir, '--all')).toMatchObject([{ id: grant!.id, status: 'revoked', revoked: { reason: 'enough' } }])
    expect(holdpoint(dir, ['grants']).stdout).toBe('There are no standing decisions.\n')
    expect(holdpoint(dir, ['revoke', grant!.id, '--as', 'eve']).stdout).toContain('revoked by bob')
    expect(holdpoint(dir, ['revoke', 'ffff-none']).stderr).toContain('[grant_not_found]')
    expect(holdpoint(dir, ['audit', 'verify']).code).toBe(0)
  })

  it.each([
    [['--scope', 'agent'], /--scope needs --always/],
    [['--always', '--scope', 'world'], /--scope must be one of/],
    [['--always', '--uses', '0'], /--uses must be an integer/],
    [['--always', '--expires', 'soon'], /--expires must be a time/],
    [['--always', '--expires', '0h'], /--expires must be a time/],
    [['--always', '--cap', 'size'], /--cap must be FIELD=MAX/],
    [['--always', '--cap', 'size=-1'], /--cap must be FIELD=MAX/],
  ])('are refused when they are not told right: %s', async (options, message) => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'hi' }])
    const refused = holdpoint(dir, ['approve', id, ...options])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(message)
    expect(listed(dir, '--all')).toEqual([])
  })
})
