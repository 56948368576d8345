import { describe, expect, it } from 'vitest'
import { gatewayProcess } from '../../support/gateway/gateway-process.ts'
import { storeAt } from '../../support/stores/stored-at.js'
import { holdpoint, tempDir } from '../support/programs.ts'
import { seed } from '../support/store.ts'

const DB = '.holdpoint/holdpoint.db'

interface Shown {
  id: string
  url: string
  events: string[]
  secret?: string
  createdBy: string
}

function json<T>(dir: string, args: readonly string[]): T {
  const done = holdpoint(dir, [...args, '--json'])
  expect(done).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(done.stdout) as T
}

function list(dir: string, at: readonly string[] = []): Shown[] {
  return json<{ webhooks: Shown[] }>(dir, ['webhooks', 'list', ...at]).webhooks
}

describe('webhooks from the command line', () => {
  it('are added, listed, given new secrets and removed', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'hi', size: 3 }])
    const added = json<Shown>(dir, ['webhooks', 'add', 'https://example.com/hooks', '--event', 'request.opened'])
    expect(added).toMatchObject({ url: 'https://example.com/hooks', events: ['request.opened'], createdBy: 'tester' })
    expect(added.secret).toMatch(/^whsec_/)
    expect(list(dir)).toEqual([expect.not.objectContaining({ secret: expect.anything() })])
    expect(holdpoint(dir, ['webhooks', 'list']).stdout).toContain('https://example.com/hooks')
    expect(list(dir, ['--tenant', 'other'])).toEqual([])
    const rotated = json<Shown>(dir, ['webhooks', 'rotate', added.id])
    expect(rotated.secret).not.toBe(added.secret)
    expect(holdpoint(dir, ['webhooks', 'dead']).stdout).toBe('There are no undelivered messages.\n')
    expect(json(dir, ['webhooks', 'remove', added.id])).toEqual({ removed: added.id })
    expect(list(dir)).toEqual([])
    expect(holdpoint(dir, ['webhooks', 'list']).stdout).toBe('There are no webhooks.\n')
  })

  it('are paused and resumed, on a store and at a gateway', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'hi', size: 3 }])
    const { url } = await gatewayProcess(`${dir}/${DB}`)
    const { id } = json<Shown>(dir, ['webhooks', 'add', 'https://example.com/hooks'])
    for (const at of [[], ['--url', url, '--token', 'ada:admin']]) {
      expect(holdpoint(dir, ['webhooks', 'list', ...at]).stdout).not.toContain('paused')
      expect(holdpoint(dir, ['webhooks', 'pause', id, ...at])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('paused'),
      })
      expect(list(dir)).toMatchObject([{ id, enabled: false }])
      expect(json(dir, ['webhooks', 'resume', id, ...at])).toMatchObject({ id, enabled: true })
      expect(list(dir)).toMatchObject([{ id, enabled: true }])
    }
  })

  it('say in one line what is wrong', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'hi', size: 3 }])
    const fails = (args: string[]) => holdpoint(dir, ['webhooks', ...args])
    expect(fails(['add', 'nonsense'])).toMatchObject({ code: 1, stderr: expect.stringContaining('absolute') })
    expect(fails(['add', 'https://me:x@example.com/'])).toMatchObject({ stderr: expect.stringContaining('password') })
    expect(fails(['add', 'https://example.com/', '--event', 'x'])).toMatchObject({
      stderr: expect.stringContaining('events'),
    })
    for (const args of [
      ['pause', 'wh_x'],
      ['resume', 'wh_x'],
      ['rotate', 'wh_x'],
      ['remove', 'wh_x'],
      ['dead', '--webhook', 'wh_x'],
      ['resend', 'msg_x'],
    ])
      expect(fails(args)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/There is no (webhook|message)/),
      })
  })

  it('work at a gateway, for admins', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'hi', size: 3 }])
    const { url } = await gatewayProcess(`${dir}/${DB}`)
    const at = (token: string) => ['--url', url, '--token', token]
    const added = json<Shown>(dir, ['webhooks', 'add', 'https://example.com/hooks', ...at('ada:admin')])
    expect(added).toMatchObject({ createdBy: 'ada', secret: expect.stringMatching(/^whsec_/) })
    expect(list(dir, at('ada:admin')).map(({ id }) => id)).toEqual([added.id])
    expect(list(dir).map(({ id }) => id)).toEqual([added.id])
    expect(holdpoint(dir, ['webhooks', 'list', ...at('ann:reviewer')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('admins'),
    })
    expect(json(dir, ['webhooks', 'dead', ...at('ada:admin')])).toEqual({ deliveries: [] })
    expect(json(dir, ['webhooks', 'remove', added.id, ...at('ada:admin')])).toEqual({ removed: added.id })
    const store = storeAt(`${dir}/${DB}`)
    expect((await store.findRecords({ kind: 'webhook' })).records).toEqual([])
    await store.close()
  })
})
