import { describe, expect, test } from 'vitest'
import { applyPatchTool, memoryStore, RunState, run, shellTool } from '../../src/index.ts'
import { PolicyFailed, ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { desktop, editor, shell } from '../support/agents/built-in-tools.ts'
import { failedWith } from '../support/agents/failures.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

describe('shell', () => {
  test('is asked about unless told otherwise, and shows the exact commands', async () => {
    const tool = shell()
    const commands = ['rm -r build', 'echo "a\nb"']
    const { agent, model } = scripted([calls(['a', 'shell', { commands }]), 'Done.'], [tool])
    const paused = await run(agent, 'go')
    expect(only(paused)).toMatchObject({ toolName: 'shell', args: { commands }, preview: commands, risk: 'high' })
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    const [content, other] = ['exit code 0\nstdout:\nrm -r build', 'exit code 0\nstdout:\necho "a\nb"']
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
      content: `${content}\n\n${other}`,
      data: { output: [{ stdout: 'rm -r build', stderr: '', outcome: { type: 'exit', exitCode: 0 } }, {}] },
    })
  })

  test('its rule is asked about the action', async () => {
    const asked: unknown[] = []
    const tool = shell({
      needsApproval: (_runContext, action, callId) => {
        asked.push([action, callId])
        return action.commands.some((command) => command.startsWith('rm'))
      },
    })
    const { agent } = scripted(
      [calls(['a', 'shell', { commands: ['ls'], timeoutMs: 5 }], ['b', 'shell', { commands: ['rm x'] }])],
      [tool],
    )
    expect(only(await run(agent, 'go')).toolCallId).toBe('b')
    expect(asked).toEqual([
      [{ commands: ['ls'], timeoutMs: 5 }, 'a'],
      [{ commands: ['rm x'] }, 'b'],
    ])
  })

  test('output is cut as the model asked, or the shell', async () => {
    const output = [{ stdout: 'x'.repeat(50), stderr: 'y'.repeat(50), outcome: { type: 'timeout' as const } }]
    const tool = shellTool({ shell: { run: () => ({ output, maxOutputLength: 20 }) }, needsApproval: false })
    const step = calls(['a', 'shell', { commands: ['x'], maxOutputLength: 3 }], ['b', 'shell', { commands: ['x'] }])
    const { agent, model } = scripted([step, 'Done.'], [tool])
    await run(agent, 'go')
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      ['a', 'timed out\nstdout:\nxxx… (47 characters more)\nstderr:\nyyy… (47 characters more)'],
      ['b', expect.stringContaining(`${'x'.repeat(20)}… (30 characters more)`)],
    ])
  })

  test('no commands, or an answer of the shell that is none, are errors for the model', async () => {
    const tool = shellTool({ shell: { run: () => 'done' as never }, needsApproval: false })
    const step = calls(['a', 'shell', { commands: [] }], ['b', 'shell', { commands: ['ls'] }])
    const { agent, model } = scripted([step, 'Done.'], [tool])
    await run(agent, 'go')
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      ['a', expect.stringContaining('do not fit shell')],
      ['b', expect.stringContaining('were run, but')],
    ])
  })
})

describe('apply_patch', () => {
  test('shows the diff, and its rule is asked about the operation', async () => {
    const tool = editor({ needsApproval: (_runContext, { type }) => type !== 'create_file' })
    const operations = [
      { type: 'create_file', path: 'a.txt', diff: '+a' },
      { type: 'update_file', path: 'a.txt', diff: '-a\n+b' },
      { type: 'delete_file', path: 'b.txt' },
    ]
    const step = calls(
      ...operations.map(
        (operation, index) => [`c${index}`, 'apply_patch', { operation }] as [string, string, { operation: never }],
      ),
    )
    const { agent, model } = scripted([step, 'Done.'], [tool])
    const paused = await run(agent, 'go')
    expect(paused.interruptions.map(({ preview }) => preview)).toEqual([
      '*** Update File: a.txt\n-a\n+b',
      '*** Delete File: b.txt',
    ])
    for (const request of paused.interruptions) await paused.state.approve(request)
    await run(agent, paused.state)
    expect(tool.ran.filter((line) => line.startsWith('end'))).toEqual([
      'end create_file a.txt',
      'end update_file a.txt',
      'end delete_file b.txt',
    ])
    expect(resultsIn(model.requests[1]?.messages)[1]).toEqual(['c1', 'update_file a.txt: completed'])
  })

  test('an editor may say that it failed', async () => {
    const fail = () => ({ status: 'failed' as const, output: 'The context was not found.' })
    const tool = editor({ needsApproval: false, editor: { createFile: fail, updateFile: fail, deleteFile: fail } })
    const { agent, model } = scripted(
      [calls(['a', 'apply_patch', { operation: { type: 'delete_file', path: 'x' } }]), 'Done.'],
      [tool],
    )
    await run(agent, 'go')
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
      content: 'The context was not found.',
      isError: true,
      data: { status: 'failed' },
    })
  })

  test('shell and patch calls of a turn run one at a time, in the order of the model', async () => {
    const ran: string[] = []
    const tools = [shell({}, ran), editor({}, ran)]
    const step = calls(
      ['a', 'apply_patch', { operation: { type: 'delete_file', path: 'x' } }],
      ['b', 'shell', { commands: ['make'] }],
      ['c', 'apply_patch', { operation: { type: 'delete_file', path: 'y' } }],
    )
    const { agent } = scripted([step, 'Done.'], tools)
    const paused = await run(agent, 'go')
    for (const request of [...paused.interruptions].reverse()) await paused.state.approve(request)
    await run(agent, paused.state)
    expect(ran).toEqual([
      'begin delete_file x',
      'end delete_file x',
      'begin make',
      'end make',
      'begin delete_file y',
      'end delete_file y',
    ])
  })
})

describe('computer', () => {
  const actions = [
    { type: 'move', x: 1, y: 2 },
    { type: 'click', x: 1, y: 2 },
    { type: 'type', text: 'hi' },
  ]

  test('one request covers a list of actions, shown line by line; any yes of the rule holds it all', async () => {
    const asked: string[] = []
    const tool = desktop({
      needsApproval: (_runContext, { type }) => {
        asked.push(type)
        return type === 'click'
      },
    })
    const step = calls(['a', 'computer', { actions: [{ type: 'wait' }] }], ['b', 'computer', { actions }])
    const { agent, model } = scripted([step, 'Done.'], [tool])
    const paused = await run(agent, 'go')
    expect(asked).toEqual(['wait', 'move', 'click', 'type'])
    expect(only(paused).preview).toEqual(['move to (1, 2)', 'click left at (1, 2)', 'type "hi"'])
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    expect(tool.did).toEqual([['wait'], ['move', 1, 2], ['click', 1, 2, 'left'], ['type', 'hi']])
    expect(resultsIn(model.requests[1]?.messages)[1]).toEqual([
      'b',
      [{ type: 'file', mediaType: 'image/png', name: 'screenshot.png', data: 'aGk=' }],
    ])
  })

  test('the single action of older models is a list of one', async () => {
    const { agent } = scripted([calls(['a', 'computer_use_preview', { action: { type: 'wait' } }])], [desktop()])
    expect(only(await run(agent, 'go'))).toMatchObject({ args: { actions: [{ type: 'wait' }] }, preview: ['wait'] })
  })

  test('both forms at once, or none, are refused', async () => {
    const both = { action: { type: 'wait' }, actions: [{ type: 'wait' }] }
    const { agent, model } = scripted([calls(['a', 'computer', both], ['b', 'computer']), 'Done.'], [desktop()])
    await run(agent, 'go')
    for (const [, content] of resultsIn(model.requests[1]?.messages)) expect(content).toContain('do not fit computer')
  })

  test('an approval and a standing decision under the old name hold under the new one, and the other way round', async () => {
    for (const [before, after] of [
      ['computer_use_preview', 'computer'],
      ['computer', 'computer_use_preview'],
    ] as const) {
      const store = memoryStore()
      const first = scripted([calls(['a', before, { actions }])], [desktop({ name: before })])
      const paused = await run(first.agent, 'go', { store, threadId: 't' })
      await paused.state.approve(only(paused), { always: true })
      const tool = desktop({ name: after })
      const second = scripted([calls(['b', after, { action: { type: 'wait' } }]), 'Done.'], [tool])
      const done = await run(second.agent, await RunState.load(second.agent, { threadId: 't', store }))
      expect(done.status).toBe('completed')
      expect(tool.did).toHaveLength(4)
    }
  })

  test('a step that fails ends the list, and the model learns how far it went', async () => {
    const failing = desktop({
      needsApproval: false,
      computer: new Proxy({} as never, {
        get: (_target, key) => async () => (key === 'click' ? Promise.reject(new Error('no screen')) : 'aGk='),
      }),
    })
    const { agent, model } = scripted([calls(['a', 'computer', { actions }]), 'Done.'], [failing])
    await run(agent, 'go')
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
      isError: true,
      content: 'Action 2 of 3 (click left at (1, 2)) failed: no screen. Those before it were done.',
    })
  })

  test('a rule that gives no clear answer for one of the actions fails the turn', async () => {
    const { agent } = scripted(
      [calls(['a', 'computer', { actions }])],
      [desktop({ needsApproval: (() => 'yes') as never })],
    )
    failedWith(await run(agent, 'go'), PolicyFailed, 'policy_failed')
  })
})

test('options that do not exist, and parts that cannot do their work, are refused when a tool is made', () => {
  expect(() => shell({ needApproval: false } as never)).toThrow('there is no option "needApproval"')
  expect(() => shellTool({ shell: {} as never })).toThrow('it needs a shell with a method run')
  expect(() => applyPatchTool({ editor: { createFile: () => undefined } as never })).toThrow(ToolInvalid)
  expect(() => desktop({ computer: {} as never })).toThrow('a method screenshot')
})
