import { describe, expect, it, vi } from 'vitest'
import {
  ann,
  approve,
  askedDesk,
  asksToConfirm,
  bob,
  opened,
  requestId,
  yes,
} from '../../../test/support/desk/asked-desk.ts'
import type { RequestFacts } from '../../core/views/request-view.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { PolicyFailed } from '../../protocol/errors/errors.ts'

describe('deciding', () => {
  it('stores all decisions in one append, guarded by their requests alone, and returns them as decided', async () => {
    const { decide, appends, added } = await askedDesk()
    const done = await decide(yes(0), yes(1, { decision: { type: 'reject', message: 'no' }, comment: 'why' }))
    expect(done).toMatchObject([
      {
        id: requestId(0),
        status: 'decided',
        version: 2,
        decision: { type: 'approve', by: ann, at: new Date(7).toISOString() },
      },
      { id: requestId(1), status: 'decided', version: 2, decision: { type: 'reject', message: 'no' } },
    ])
    expect(appends).toHaveLength(1)
    expect(appends[0]).not.toHaveProperty('version')
    expect(appends[0]).not.toHaveProperty('grants')
    expect(appends[0]?.requests?.map((change) => 'id' in change && change.id)).toEqual([requestId(0), requestId(1)])
    expect(added()).toStrictEqual([
      { v: 1, type: 'request.decided', id: requestId(0), call: 'run/1/0', version: 2, decision: approve, by: ann },
      { v: 1, type: 'call.released', call: 'run/1/0', digest: 'x0', by: ann, request: requestId(0) },
      {
        v: 1,
        type: 'request.decided',
        id: requestId(1),
        call: 'run/1/1',
        version: 2,
        decision: { type: 'reject', message: 'no' },
        by: ann,
        comment: 'why',
      },
    ])
  })

  it('refuses nothing, a request twice, and requests of two threads, and stores none of it', async () => {
    const { decide, ask, appends } = await askedDesk()
    await ask('other', [opened(3)])
    await expect(decide()).rejects.toMatchObject({
      name: 'InputInvalid',
      message: expect.stringMatching(/nothing to decide/),
    })
    await expect(decide(yes(0), yes(0))).rejects.toMatchObject({
      name: 'DecisionInvalid',
      message: expect.stringMatching(/decided twice/),
    })
    await expect(decide(yes(0), yes(3))).rejects.toMatchObject({
      name: 'InputInvalid',
      message: expect.stringMatching(/one thread/),
    })
    expect(appends).toEqual([])
  })

  it('the same answer again is done already; what is new in a batch is stored beside it', async () => {
    const { decide, appends, added } = await askedDesk()
    await decide(yes(0))
    expect(await decide(yes(0))).toMatchObject([{ id: requestId(0), status: 'decided', version: 2 }])
    expect(appends).toHaveLength(1)
    expect(await decide(yes(0), yes(1))).toMatchObject([
      { id: requestId(0), version: 2 },
      { id: requestId(1), version: 2 },
    ])
    expect(added().filter(({ type }) => type === 'request.decided')).toHaveLength(2)
    await expect(decide(yes(0, { by: bob }))).rejects.toMatchObject({ name: 'HitlStaleAnswer', by: ann })
  })

  it('accepts only allowed decisions, from named reviewers', async () => {
    const { decide, appends } = await askedDesk([
      opened(0, { allowedDecisions: ['reject'] }),
      opened(1, { reviewers: ['bob'] }),
    ])
    await expect(decide(yes(0))).rejects.toMatchObject({ name: 'DecisionNotAllowed' })
    await expect(decide(yes(1))).rejects.toMatchObject({ name: 'ReviewerNotAllowed' })
    expect(appends).toEqual([])
  })

  it('takes a decision given as an answer, and finds a request by its question id in its thread alone', async () => {
    const { decide, with: at } = await askedDesk()
    const byQuestion = { questionId: 'q0', answer: { type: 'approve' }, by: ann }
    await expect(decide(byQuestion)).rejects.toMatchObject({ name: 'DecisionInvalid' })
    await expect(at({ threadId: 'u' }, { ...byQuestion, threadId: 't' })).rejects.toMatchObject({
      name: 'HitlNoPendingRequest',
    })
    expect(await at({ threadId: 't' }, byQuestion)).toMatchObject([{ id: requestId(0), status: 'decided' }])
    expect(await decide({ questionId: 'q1', threadId: 't', decision: approve, by: ann })).toMatchObject([
      { id: requestId(1) },
    ])
  })

  it('a question id that was used before means what was shown, or what the digest names', async () => {
    const twice = [opened(0), opened(1, { questionId: 'q0' })]
    const again = { questionId: 'q0', decision: approve, by: bob }
    const first = await askedDesk(twice, { threadId: 't' })
    await first.decide(yes(0))
    await expect(first.decide(again)).rejects.toMatchObject({ name: 'QuestionAmbiguous' })
    expect(await first.decide({ ...again, digest: 'x1' })).toMatchObject([{ id: requestId(1), status: 'decided' }])
    const second = await askedDesk(twice, { threadId: 't' })
    await second.decide(yes(0))
    expect(await second.with({ shown: (one) => one === requestId(1) }, again)).toMatchObject([{ id: requestId(1) }])
  })

  it('an undo window delays the release, and a standing decision is given with its own id', async () => {
    const { decide, appends, added } = await askedDesk()
    const [done] = await decide(yes(0, { undoSeconds: 2, always: { uses: 3 } }))
    expect(done?.decision?.effectiveAt).toBe(new Date(2_007).toISOString())
    expect(added()).toMatchObject([
      { type: 'request.decided', undoMs: 2_000 },
      { type: 'call.released', delayMs: 2_000 },
      { type: 'grant.created', grant: { id: 'new', uses: 3, delayMs: 2_000 } },
    ])
    expect(appends[0]?.grants).toMatchObject([{ op: 'create', entry: 2, row: { id: 'new', uses: 3 } }])
    await decide(yes(1))
    expect(added()[3]).not.toHaveProperty('undoMs')
  })

  it('a standing decision needs a call of a tool', async () => {
    const { call: _gone, ...noCall } = opened(0)
    const { run: _norun, ...noRun } = opened(0)
    const { definition: _none, ...noDefinition } = opened(0)
    for (const about of [noCall, noRun, noDefinition, opened(0, { ordinal: 0 })]) {
      const { decide, appends } = await askedDesk([about as Entry])
      await expect(decide(yes(0, { always: true }))).rejects.toMatchObject({
        name: 'DecisionInvalid',
        message: expect.stringMatching(/not about a call/),
      })
      expect(appends).toEqual([])
      await expect(decide(yes(0))).resolves.toHaveLength(1)
    }
  })
})

describe('answering', () => {
  it('an undo window is for calls and final answers, not for what a body asks', async () => {
    const { call: _noCall, definition: _noDefinition, ...final } = opened(1)
    const { run: _run, call: _call, definition: _definition, ...bare } = opened(2)
    const { decide, added } = await askedDesk([opened(0, { ordinal: 0 }), { ...final, gate: true }, bare])
    for (const n of [0, 2])
      await expect(decide(yes(n, { undoSeconds: 5 }))).rejects.toMatchObject({
        name: 'DecisionInvalid',
        message: expect.stringMatching(/undoSeconds/),
      })
    await decide(yes(1, { undoSeconds: 5 }))
    expect(added()).toMatchObject([{ type: 'request.decided', id: requestId(1), undoMs: 5000 }])
    await decide(yes(0))
    expect(added().at(-1)).not.toHaveProperty('undoMs')
  })

  it('a confirm takes its answer once, with its comment', async () => {
    const { decide, appends, added } = await askedDesk([asksToConfirm])
    const answer = { id: requestId(2), answer: true, by: ann, comment: 'c' }
    expect(await decide(answer)).toMatchObject([{ status: 'decided', version: 2, answer: { value: true, by: ann } }])
    expect(added()).toStrictEqual([
      { v: 1, type: 'request.answered', id: requestId(2), version: 2, answer: true, by: ann, comment: 'c' },
    ])
    expect(await decide(answer)).toMatchObject([{ status: 'decided', version: 2 }])
    expect(appends).toHaveLength(1)
    await expect(decide({ ...answer, answer: false })).rejects.toMatchObject({ name: 'HitlStaleAnswer' })
  })
})

describe('an edit', () => {
  const edit = { type: 'edit', args: { n: 9 } } as const

  it('is checked before it is stored, and released as it was checked', async () => {
    const edited = { tool: 'pay', args: { n: 10 }, definition: 'd1', digest: 'y' }
    const checkEdit = vi.fn(async () => ({ ok: true as const, edited }))
    const { decide, added } = await askedDesk(undefined, { checkEdit })
    await decide(yes(0, { decision: edit }), yes(1))
    expect(checkEdit.mock.calls).toMatchObject([[{ opened: { id: requestId(0) } }, edit, ann]])
    expect(added()[1]).toMatchObject({ type: 'call.released', digest: 'y', args: { n: 10 } })
  })

  it('that does not fit, or that a policy cannot judge, decides nothing', async () => {
    const fail = (error: Error) => ({ checkEdit: () => Promise.reject(error) })
    const { with: at, appends } = await askedDesk()
    const given = yes(0, { decision: edit })
    await expect(at({ checkEdit: async () => ({ ok: false, problems: ['odd'] }) }, given)).rejects.toMatchObject({
      name: 'EditInvalid',
      requestId: requestId(0),
      problems: ['odd'],
    })
    const failed = Object.assign(Object.create(PolicyFailed.prototype), { problem: 'broken' }) as Error
    await expect(at(fail(failed), given)).rejects.toMatchObject({ name: 'EditNotJudged', cause: failed })
    await expect(at(fail(new TypeError('x')), given)).rejects.toBeInstanceOf(TypeError)
    expect(appends).toEqual([])
  })

  it('of a question that a body asks is not checked as a call', async () => {
    const checkEdit = vi.fn(async () => undefined)
    const { decide } = await askedDesk([opened(0, { ordinal: 0 })], { checkEdit })
    await decide(yes(0, { decision: edit }))
    expect(checkEdit).not.toHaveBeenCalled()
  })
})

describe('what is known already', () => {
  it('is used once: if the append is refused, the store is asked', async () => {
    const { store, with: at, ask } = await askedDesk()
    const known = vi.fn(
      (): RequestFacts => ({
        tenant: 'default',
        threadId: 't',
        status: 'open',
        version: 1,
        opened: opened(0),
        openedAt: 7,
      }),
    )
    const getRequest = vi.fn(store.getRequest)
    await at({ known, store: { ...store, getRequest } }, yes(0))
    expect([known.mock.calls, getRequest.mock.calls]).toEqual([[[requestId(0)]], []])
    await expect(at({ known }, yes(0, { by: bob }))).rejects.toMatchObject({ name: 'HitlStaleAnswer', by: ann })
    expect(known).toHaveBeenCalledTimes(2)
    await ask('t', [opened(4)])
    await expect(at({ known: () => undefined }, yes(4))).resolves.toMatchObject([{ id: requestId(4) }])
  })

  it('a request past its deadline is closed by the first process that finds it, and takes no answer', async () => {
    const { decide, store, appends } = await askedDesk([opened(0, { expiresAt: 7 })])
    await expect(decide(yes(0))).rejects.toMatchObject({ name: 'HitlStaleAnswer', requestStatus: 'expired' })
    expect((await store.getRequest(requestId(0)))?.status).toBe('expired')
    expect(appends).toHaveLength(2)
  })
})
