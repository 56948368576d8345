import { type JudgedAnswer, planAnswer } from '../core/plan/answer.ts'
import type { Frame } from '../core/state.ts'
import type { Entry } from '../protocol/entry.ts'
import { startBodies } from './calls.ts'
import { type Driver, formatRefusal, openRun, runContextOf } from './driver.ts'
import { judgeAll } from './judge.ts'
import { askModel, type ModelAnswer, toAnswer } from './model-answer.ts'
import { untilAborted } from './until-aborted.ts'
import { words } from './words.ts'

/** One model turn: ask, check, judge every call, and record all of it in one append. Free calls start with it. */
export async function modelTurn(driver: Driver, frame: Frame): Promise<void> {
  const { journal, activation, agent, signal } = driver
  await activation.acquire()
  const run = openRun(journal.state)
  const runContext = runContextOf(run)
  const read = frame.queued.length
  const turn = frame.turn
  const { instructions } = agent
  const system = typeof instructions === 'function' ? await instructions(runContext) : instructions
  const response = await untilAborted(
    askModel(
      agent.model,
      {
        ...(system === undefined ? {} : { instructions: system }),
        messages: [...frame.messages, ...frame.queued],
        tools: agent.tools.map((tool) => tool.definition),
        signal,
      },
      driver.onPart,
    ),
    signal,
  )
  const answer = toAnswer(response, driver.newId)
  const judged = await judgeAll(
    {
      agent,
      runContext,
      formatNotFound: (toolName, callId, defaultMessage) =>
        formatRefusal(driver, { kind: 'tool_not_found', toolName, callId, defaultMessage }),
    },
    answer,
  )
  const plan: JudgedAnswer = {
    frame,
    message: answer.message,
    usage: answer.usage,
    read,
    ...judged,
    newId: driver.newId,
    refusals: await grantRefusals(driver, answer),
  }
  const entries = await activation.write((state) => {
    // Somebody else may have ended the run, or answered this turn, while the model was thinking.
    const now = state.run?.frames.get(frame.key)
    if (state.run?.status !== 'open' || now !== frame || now.turn !== turn || now.calls.length > 0) return undefined
    const planned = planAnswer(state, state.run, plan)
    return { entries: planned, drop: isLast(planned) }
  })
  if (entries) startBodies(driver, entries)
}

/** What each call's result would be if a standing rejection covers it. */
async function grantRefusals(driver: Driver, answer: ModelAnswer): Promise<string[]> {
  const { run } = driver.journal.state
  if (!run?.grants.some((grant) => grant.effect === 'deny')) return []
  return Promise.all(
    (answer.message.toolCalls ?? []).map((call) =>
      formatRefusal(driver, {
        kind: 'approval_rejected',
        toolName: call.name,
        callId: call.id,
        defaultMessage: words.rejected(call.name),
      }),
    ),
  )
}

/** Whether nothing is left to drive: the run is over, or only people can move it. */
function isLast(entries: readonly Entry[]): boolean {
  if (entries.some((entry) => entry.type === 'run.settled')) return true
  return (
    entries.some((entry) => entry.type === 'request.opened') && !entries.some((entry) => entry.type === 'call.started')
  )
}
