import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, run, tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { holdpoint, tempDir } from '../support/programs.ts'
import { storePath } from '../support/store.ts'
import { waiting } from '../support/waiting.ts'

it('an invalid answer to a question or a form is refused with what is accepted', async () => {
  const dir = tempDir()
  const { confirm, form } = await waiting(dir)
  const answer = (...args: string[]) => holdpoint(dir, ['answer', ...args])
  expect(holdpoint(dir, ['show', confirm]).stdout).toContain('yes or no (holdpoint answer)')

  for (const verb of [['approve'], ['reject'], ['respond', '--message', 'x']])
    expect(holdpoint(dir, [verb[0]!, confirm, ...verb.slice(1)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('holdpoint answer ID yes'),
    })
  expect(holdpoint(dir, ['approve', form]).stderr).toContain('holdpoint answer ID --set')
  expect(holdpoint(dir, ['show', form]).stdout).toContain('several may be chosen')
  expect(answer(form, 'yes')).toMatchObject({ code: 2, stderr: expect.stringContaining('is a form: give --set') })
  expect(answer(confirm, '--set', 'a=b').stderr).toContain('is answered with yes or no')
  expect(answer(form, '--set', 'size=huge', '--set', 'extras=milk')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/size: "huge" is not one of the options.*\[answer_invalid\]/),
  })
  expect(answer(form, '--set', 'size=large', '--set', 'size=small').stderr).toContain('size is given twice')
})

it('a question and a form are answered from the command line, and the run goes on with that', async () => {
  const dir = tempDir()
  const { confirm, form, finish } = await waiting(dir)
  const answer = (...args: string[]) => holdpoint(dir, ['answer', ...args])
  const yes = answer(confirm, 'yes', '--comment', 'called her')
  expect(yes).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Answered by tester:\n {2}confirm {2}Really\?\n/),
  })
  expect(answer(confirm, 'yes').stdout).toContain('answered the same')
  expect(answer(confirm, 'no')).toMatchObject({ code: 1, stderr: expect.stringContaining('[stale_answer]') })
  const sets = ['size=large', 'extras=milk', 'extras=sugar', 'note=a=b c'].flatMap((set) => ['--set', set])
  const filled = answer(form, ...sets, '--json')
  expect(JSON.parse(filled.stdout)).toMatchObject({
    status: 'decided',
    answer: { by: { kind: 'person', id: 'tester', via: 'cli' } },
  })
  expect(await finish()).toEqual({
    status: 'completed',
    heard: [true, { size: 'large', extras: ['milk', 'sugar'], note: 'a=b c' }],
  })
})

it('the list of requests says who answered a question and a form, and the yes or no', async () => {
  const dir = tempDir()
  const { confirm, form } = await waiting(dir)
  holdpoint(dir, ['answer', confirm, 'no', '--as', 'ann'])
  holdpoint(dir, ['answer', form, '--set', 'size=small', '--set', 'extras=milk', '--as', 'bob'])
  const { stdout } = holdpoint(dir, ['requests', '--status', 'all'])
  expect(stdout).toContain('answered no by ann just now')
  expect(stdout).toContain('answered by bob just now')
  expect(stdout).not.toContain('decided')
})

it('an answer that cannot be one is refused before the store is opened, and a call is not answered with yes', async () => {
  const dir = tempDir()
  for (const args of [['abcd'], ['abcd', 'maybe'], ['abcd', 'yes', '--set', 'a=b'], ['abcd', '--set', 'a']])
    expect(holdpoint(dir, ['answer', ...args])).toMatchObject({ code: 2, stdout: '' })
  const store = sqliteStore({ path: storePath(dir) })
  const pay = tool({
    name: 'pay',
    description: 'pay',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => 'ok',
  })
  const agent = new Agent({
    name: 'payer',
    model: scriptedModel([{ toolCalls: [{ id: 'a', name: 'pay', args: {} }] }]),
    tools: [pay],
  })
  const { interruptions } = await run(agent, 'Go.', { store, threadId: 't' })
  await store.close()
  const refused = holdpoint(dir, ['answer', interruptions[0]!.id, 'yes'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is about a call: approve, edit, reject') })
  expect(holdpoint(dir, ['show', interruptions[0]!.id]).stdout).toContain('approve, edit, reject')
})
