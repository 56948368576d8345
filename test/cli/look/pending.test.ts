import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdpoint, tempDir } from '../support/programs.ts'
import { seed } from '../support/store.ts'

const INDEX = new URL('../../../dist/index.js', import.meta.url).href
const TESTING = new URL('../../../dist/testing.js', import.meta.url).href
const ZOD = import.meta.resolve('zod')

/** Writes a module with a mailer whose tool is described and named so, and compares a paused run with it. */
async function against(
  code: { tool?: string; description?: string; agent?: string; version?: string; policy?: string },
  ...more: string[]
) {
  const dir = tempDir()
  await seed(dir, [{ text: 'hello' }])
  const { tool = 'send', description = 'Sends a text.', agent = 'mailer', version, policy } = code
  writeFileSync(
    join(dir, 'agents.mjs'),
    `import { Agent, definePolicy, tool } from '${INDEX}'
import { scriptedModel } from '${TESTING}'
import { z } from '${ZOD}'
const send = tool({ name: '${tool}', description: '${description}', parameters: z.looseObject({ text: z.string() }), execute: () => 'sent' })
export default new Agent({ name: '${agent}', model: scriptedModel([]), tools: [send]${version ? `, version: '${version}'` : ''}${policy ? `, policy: ${policy}` : ''} })
`,
  )
  return holdpoint(dir, ['pending', '--against', 'agents.mjs', ...more])
}

describe('pending', () => {
  it('reports a run as unaffected when its agents did not change', async () => {
    const { code, stdout } = await against({})
    expect(stdout).toContain('unaffected')
    expect(stdout).toContain('1 unaffected, 0 to look at again, 0 that cannot go on')
    expect(code).toBe(0)
  })

  it('flags a tool with a changed definition, and another version', async () => {
    const changed = await against({ description: 'Sends a text to everybody.' })
    expect(changed.stdout).toContain('the definition of send changed')
    expect(changed.code).toBe(0)
    const { stdout } = await against({ version: '2' }, '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      secondLook: 1,
      threads: [{ threadId: 't/0', kind: 'second-look', open: 1, reasons: [expect.stringContaining('version 2')] }],
    })
  })

  it('names the requests that will be judged once more, because a policy is new or changed', async () => {
    const policy = `definePolicy(() => ({ verdict: 'deny', reason: 'no' }), { name: 'frozen', version: '2' })`
    const { stdout } = await against({ policy }, '--json')
    const [thread] = JSON.parse(stdout).threads
    expect(thread.kind).toBe('second-look')
    expect(thread.reasons).toEqual([
      expect.stringMatching(/^request [0-9a-f-]{36} \(send\) will be judged once more: policy "frozen" is new$/),
    ])
  })

  it('says which runs cannot go on, and why', async () => {
    const lost = await against({ tool: 'post' })
    expect(lost.stdout).toContain('cannot go on')
    // As plain words, not as a text in quotes.
    expect(lost.stdout).toContain('"mailer" has no such tool')
    expect(lost.code).toBe(1)
    expect((await against({ agent: 'postman' })).stdout).toContain('1 that cannot go on')
  })

  it('refuses a file without agents, and a call without a file', () => {
    const dir = tempDir()
    expect(holdpoint(dir, ['pending']).code).not.toBe(0)
  })
})
