import { describe, expect, test } from 'vitest'
import { type Decision, humanInTheLoop, type JsonObject, memoryStore, RunState, run } from '../../src/index.ts'
import { MaxRejectionsExceeded } from '../../src/protocol/errors/errors.ts'
import { fakeClock, type ScriptStep } from '../../src/testing.ts'
import { policedAgent } from '../support/agents/policed-agent.ts'

const SQL: [string, JsonObject][] = [['execute_sql', { query: 'DELETE' }]]

describe('deadlines', () => {
  const late = async (onTimeout: 'reject' | 'escalate' | 'keep' | 'allow', calls = SQL, name = 'execute_sql') => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { agent, ran } = policedAgent(
      humanInTheLoop({ interruptOn: { [name]: { timeoutSeconds: 60, onTimeout } } }),
      {
        calls,
      },
    )
    const paused = await run(agent, 'go', { threadId: 't', store })
    expect(Date.parse(paused.interruptions[0]!.expiresAt!) - clock.now()).toBeLessThanOrEqual(61_000)
    clock.advance(61_000)
    return { agent, ran, store, paused, after: await run(agent, await RunState.load(agent, { threadId: 't', store })) }
  }

  test("'reject': the model is told that nobody answered, not that somebody refused", async () => {
    const { after, ran } = await late('reject')
    expect(after.status).toBe('completed')
    expect(after.state.messages.find((message) => message.role === 'tool')?.content).toMatch(/nobody answered in time/)
    expect(ran).toEqual([])
  })

  test("'escalate': it stays open, says so, and can still be decided", async () => {
    const { after, agent, ran } = await late('escalate')
    expect(after.interruptions[0]).toMatchObject({ status: 'open', version: 2, escalated: true })
    await after.state.approve(after.interruptions[0]!)
    expect((await run(agent, after.state)).status).toBe('completed')
    expect(ran).toHaveLength(1)
  })

  test("'keep': nothing happens at the deadline", async () => {
    const { after, agent } = await late('keep')
    expect(after.interruptions[0]).toMatchObject({ status: 'open', version: 1 })
    await after.state.approve(after.interruptions[0]!)
    expect((await run(agent, after.state)).status).toBe('completed')
  })

  test("'allow', for low risk: it runs, and the record says that time decided", async () => {
    const { after, ran } = await late('allow', [['ping', { query: '' }]], 'ping')
    expect(after.status).toBe('completed')
    expect(ran).toHaveLength(1)
    expect(after.state.toString()).toContain('"by":{"kind":"time","id":"deadline"}')
  })

  test('an answer after the deadline is judged by what the deadline did, whoever brings it', async () => {
    const clock = fakeClock()
    for (const [onTimeout, accepted] of [
      ['reject', false],
      ['escalate', true],
      ['keep', true],
    ] as const) {
      const store = memoryStore({ clock })
      const { agent } = policedAgent(
        humanInTheLoop({ interruptOn: { execute_sql: { timeoutSeconds: 60, onTimeout } } }),
      )
      const { state } = await run(agent, 'go', { threadId: 't', store })
      clock.advance(61_000)
      const decision: Decision = { type: 'approve' }
      const answered = state.decide({ decisions: [decision] }).then(
        () => true,
        (error: Error) => error.name,
      )
      expect(await answered).toBe(onTimeout === 'escalate' ? 'HitlStaleAnswer' : accepted || 'HitlStaleAnswer')
    }
  })
})

describe('calls that people keep rejecting', () => {
  const again: ScriptStep = { toolCalls: [{ id: 'c', name: 'execute_sql', args: { query: 'DELETE' } }] }
  const other: ScriptStep = { toolCalls: [{ id: 'c', name: 'execute_sql', args: { query: 'SELECT' } }] }

  const reject = async (steps: ScriptStep[], maxRejections: number | { limit: number; action: 'end' | 'escalate' }) => {
    const { agent } = policedAgent(humanInTheLoop({ interruptOn: { execute_sql: true } }), { steps })
    let result = await run(agent, 'go', { maxRejections })
    let rejected = 0
    while (result.status === 'interrupted' && result.interruptions[0]?.reason === undefined) {
      await result.state.reject(result.interruptions[0]!)
      rejected += 1
      result = await run(agent, result.state)
    }
    return { result, rejected }
  }

  test('a limit ends the run, counting only the same call', async () => {
    const { result, rejected } = await reject([again, other, again, again], 2)
    expect(rejected).toBe(3)
    expect(result.status).toBe('failed')
    expect(result.error).toBeInstanceOf(MaxRejectionsExceeded)
  })

  test('or says so to whoever is asked next', async () => {
    const { result, rejected } = await reject([again, again, 'Sorry.'], { limit: 1, action: 'escalate' })
    expect(rejected).toBe(1)
    expect(result.interruptions[0]).toMatchObject({ reason: 'rejected_before', risk: 'high' })
  })
})
