import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
let project = ''

/** A project that has holdpoint and what it depends on, and no OpenTelemetry anywhere above it. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'holdpoint-without-otel-'))
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, 'holdpoint'), { recursive: true })
  cpSync(join(root, 'dist'), join(modules, 'holdpoint', 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(modules, 'holdpoint', 'package.json'))
  for (const name of ['zod', 'canonicalize']) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

it('threads and runs go the same where OpenTelemetry is not installed', () => {
  writeFileSync(
    join(project, 'main.js'),
    `
      import { Agent, memoryStore, openDesk, run, tool } from 'holdpoint'
      import { ScriptedChannel, scriptedModel } from 'holdpoint/testing'
      import { z } from 'zod'
      const otel = await import('@opentelemetry/api').then(() => 'installed', () => 'absent')
      const refund = tool({ name: 'refund', description: '', parameters: z.object({}), needsApproval: true, execute: () => 'paid' })
      const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args: {} }] }, 'Done.'])
      const agent = new Agent({ name: 'a', model, tools: [refund] })
      const thread = agent.thread('t', { channel: new ScriptedChannel({ answers: [{ type: 'approve' }] }) })
      const result = await thread.prompt('go')
      const store = memoryStore()
      const again = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args: {} }] }, 'Done.'])
      const other = new Agent({ name: 'a', model: again, tools: [refund] })
      const paused = await run(other, 'go', { store })
      await openDesk({ store }).decide({ request: paused.interruptions[0], decision: { type: 'approve' }, by: 'ann' })
      const resumed = await run(other, paused.state, { store })
      console.log(JSON.stringify([otel, result.status, result.finalOutput, resumed.status]))
    `,
  )
  const child = spawnSync(process.execPath, ['main.js'], { cwd: project, encoding: 'utf8' })
  expect(child.stderr).toBe('')
  expect(JSON.parse(child.stdout)).toEqual(['absent', 'completed', 'Done.', 'completed'])
})
