import { describe, expect, it } from 'vitest'
import { commandGroups } from '../../../src/cli/commands/index.ts'
import { soak } from '../../support/soak.ts'
import { callsIn, ELSEWHERE, ENV } from '../support/every-call.ts'
import { startGateway } from '../support/gateways.ts'
import { holdpoint, holdpointProcess, tempDir } from '../support/programs.ts'
import { seed } from '../support/store.ts'

describe('as a process of its own', () => {
  it('every command exits by itself', { timeout: 600_000 }, async () => {
    const dir = tempDir()
    const calls = await callsIn(dir)
    const names = commandGroups.flatMap(({ commands }) => commands.map(({ name }) => name))
    expect([...calls.map(([name]) => name), ...ELSEWHERE].sort()).toEqual([...names].sort())
    // In the short form every second one: the others run all the same, for those that use what they leave.
    const chosen = new Set(soak.sample(names, { part: 0, of: 2 }))
    const exits = calls.map(([name, args]) => {
      const runIt = chosen.has(name) ? holdpointProcess : holdpoint
      const { code, stderr } = runIt(dir, [...name.split(' '), ...args], ENV)
      return { name, code, ...(code === 0 ? {} : { stderr }) }
    })
    expect(exits).toEqual(
      calls.map(([name, , code = 0]) => ({ name, code, ...(code === 0 ? {} : { stderr: expect.any(String) }) })),
    )
  })

  it('commands that read, decide and stream at a gateway exit by themselves', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    const gateway = await startGateway(dir)
    const env = gateway.env('ann', 'operator')
    for (const args of [['requests'], ['approve', id!], ['journal', 't/0'], ['audit', 'export']])
      expect([args, holdpointProcess(tempDir(), args, env)]).toMatchObject([args, { code: 0, stderr: '' }])
  })
})
