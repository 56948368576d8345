import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type JsonObject, openDesk, type ThreadResult } from '../../src/index.ts'
import { application, refundTool } from '../support/agents/remote-application.ts'
import { soak } from '../support/soak.ts'
import { until } from '../support/until.ts'

/** What can happen to an application that waits for two decisions. */
const happenings = ['leave', 'yes', 'no', 'nonsense', 'twice', 'desk', 'local', 'lose-reply'] as const

const BOB = { kind: 'person', id: 'bob' } as const

async function live(script: readonly (typeof happenings)[number][]): Promise<void> {
  const done: JsonObject[] = []
  const calls = [1, 2].map((n) => ({ id: `c${n}`, name: 'refund', args: { cents: n } }))
  const app = await application([{ toolCalls: calls }, 'Done.'], [refundTool(done)])
  let { thread, channel } = app.open()
  let running: Promise<ThreadResult> = thread.prompt('go')
  const isOver = async () => {
    const { requests } = await openDesk(app).list({ status: 'open' })
    return requests.length === 0
  }
  const question = async () => {
    let first = (await app.questions())[0]
    await until(async () => {
      first = (await app.questions())[0]
      return first !== undefined || (await isOver())
    })
    return first
  }
  const quietly = (work: Promise<unknown>) => work.catch(() => undefined)
  await until(async () => !(await isOver()))
  for (const happening of script) {
    if (await isOver()) break
    const asked = await question()
    if (!asked) break
    const { msg_id: id } = asked
    const answer = (reply: string) => app.streams.answer(app.session, id, reply)
    if (happening === 'yes' || happening === 'no') await answer(happening)
    if (happening === 'nonsense') await answer('perhaps')
    if (happening === 'twice') await Promise.all([answer('yes'), answer('no')])
    if (happening === 'desk') {
      const request = asked.content.body.tool_exec_uuid
      await quietly(openDesk(app).decide({ request, decision: { type: 'approve' }, by: BOB }))
    }
    if (happening === 'local' && channel.pending) await quietly(channel.answer(channel.pending.id, { type: 'reject' }))
    if (happening === 'leave' || happening === 'lose-reply') {
      // What does not wait yet cannot be let go.
      await until(async () => channel.pending !== undefined || (await isOver()))
      await thread.detach()
      await running
      if (happening === 'lose-reply') {
        await channel.flush()
        await answer('yes')
        await app.streams.takeReply(app.session, id, { waitMs: 0 })
      }
      ;({ thread, channel } = app.open())
      running = thread.resume()
    }
  }
  for (;;) {
    const asked = await question()
    if (!asked) break
    await app.streams.answer(app.session, asked.msg_id, 'yes')
  }
  const result = await running
  expect(result.status).toBe('completed')
  await channel.flush()
  expect(await app.questions()).toEqual([])
  const { requests } = await openDesk(app).list({})
  const approved = requests.filter(({ decision }) => decision?.type === 'approve').map(({ args }) => args)
  // What was approved ran, once; nothing else did.
  expect(requests).toHaveLength(2)
  expect(done.map(({ cents }) => cents).sort()).toEqual(approved.map((args) => args?.cents).sort())
}

it(
  'whatever happens between an application and its person: what was approved runs, once, and nothing else does',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...happenings), { maxLength: 6 }), (script) => live(script)),
      soak.runs(60, 300),
    )
  },
  soak.times(60_000, 600_000),
)
