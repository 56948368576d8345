import { describe, expect, it, vi } from 'vitest'
import { projectRequests } from '../core/project.ts'
import type { RequestFacts } from '../core/request-view.ts'
import type { Append } from '../ports/store.ts'
import type { Entry, EntryOf } from '../protocol/entries/entry.ts'
import { PolicyFailed } from '../protocol/errors/errors.ts'
import { memoryStore } from '../store/memory/store.ts'
import type { Answer } from './answer-shape.ts'
import { decide } from './decide.ts'
import type { DeskOptions } from './options.ts'

const ann = { kind: 'person', id: 'ann' } as const
const bob = { kind: 'person', id: 'bob' } as const
const approve = { type: 'approve' } as const
const id = (n: number) => `01890000-0000-7000-8000-00000000000${n}`

const opened = (n: number, more: Partial<EntryOf<'request.opened'>> = {}): EntryOf<'request.opened'> => ({
  v: 1,
  type: 'request.opened',
  id: id(n),
  questionId: `q${n}`,
  kind: 'approve',
  run: 'run',
  call: `run/1/${n}` as never,
  agent: 'agent',
  path: ['agent'],
  toolName: 'pay',
  toolCallId: `q${n}`,
  args: { n },
  definition: 'd1',
  digest: `x${n}`,
  allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
  ...more,
})
const { run: _run, call: _call, definition: _definition, ...bare } = opened(2)
const confirm = { ...bare, kind: 'confirm', prompt: 'Sure?', allowedDecisions: [] } as EntryOf<'request.opened'>

/** A desk over a thread in which these were asked, and what it appends. */
async function desk(asked: readonly Entry[] = [opened(0), opened(1)], options: Partial<DeskOptions> = {}) {
  const store = memoryStore({ clock: { now: () => 7 } })
  const ask = (threadId: string, entries: readonly Entry[]) =>
    store.append({
      threadId,
      entries: entries.map((entry) => JSON.stringify(entry)),
      requests: projectRequests([...entries], threadId),
    })
  await ask('t', asked)
  const appends: Append[] = []
  const watched = {
    ...store,
    append(append: Append) {
      appends.push(append)
      return store.append(append)
    },
  }
  const all: DeskOptions = { store: watched, newId: () => 'new', checkEdit: async () => undefined, ...options }
  return {
    store,
    ask,
    appends,
    added: () => appends.flatMap(({ entries }) => entries.map((body) => JSON.parse(body) as Entry)),
    decide: (...answers: Answer[]) => decide(all, answers),
    with: (more: Partial<DeskOptions>, ...answers: Answer[]) => decide({ ...all, ...more }, answers),
  }
}
const yes = (n: number, more: Partial<Answer> = {}): Answer => ({ id: id(n), decision: approve, by: ann, ...more })

describe('deciding', () => {
  it('stores all decisions in one append, guarded by their requests alone, and returns them as decided', async () => {
    const { decide, appends, added } = await desk()
    const done = await decide(yes(0), yes(1, { decision: { type: 'reject', message: 'no' }, comment: 'why' }))
    expect(done).toMatchObject([
      {
        id: id(0),
        status: 'decided',
        version: 2,
        decision: { type: 'approve', by: ann, at: new Date(7).toISOString() },
      },
      { id: id(1), status: 'decided', version: 2, decision: { type: 'reject', message: 'no' } },
    ])
    expect(appends).toHaveLength(1)
    expect(appends[0]).not.toHaveProperty('version')
    expect(appends[0]).not.toHaveProperty('grants')
    expect(appends[0]?.requests?.map((change) => 'id' in change && change.id)).toEqual([id(0), id(1)])
    expect(added()).toStrictEqual([
      { v: 1, type: 'request.decided', id: id(0), call: 'run/1/0', version: 2, decision: approve, by: ann },
      { v: 1, type: 'call.released', call: 'run/1/0', digest: 'x0', by: ann, request: id(0) },
      {
        v: 1,
        type: 'request.decided',
        id: id(1),
        call: 'run/1/1',
        version: 2,
        decision: { type: 'reject', message: 'no' },
        by: ann,
        comment: 'why',
      },
    ])
  })

  it('refuses nothing, a request twice, and requests of two threads, and stores none of it', async () => {
    const { decide, ask, appends } = await desk()
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
    const { decide, appends, added } = await desk()
    await decide(yes(0))
    expect(await decide(yes(0))).toMatchObject([{ id: id(0), status: 'decided', version: 2 }])
    expect(appends).toHaveLength(1)
    expect(await decide(yes(0), yes(1))).toMatchObject([
      { id: id(0), version: 2 },
      { id: id(1), version: 2 },
    ])
    expect(added().filter(({ type }) => type === 'request.decided')).toHaveLength(2)
    await expect(decide(yes(0, { by: bob }))).rejects.toMatchObject({ name: 'HitlStaleAnswer', by: ann })
  })

  it('accepts only allowed decisions, from named reviewers', async () => {
    const { decide, appends } = await desk([
      opened(0, { allowedDecisions: ['reject'] }),
      opened(1, { reviewers: ['bob'] }),
    ])
    await expect(decide(yes(0))).rejects.toMatchObject({ name: 'DecisionNotAllowed' })
    await expect(decide(yes(1))).rejects.toMatchObject({ name: 'ReviewerNotAllowed' })
    expect(appends).toEqual([])
  })

  it('takes a decision given as an answer, and finds a request by its question id in its thread alone', async () => {
    const { decide, with: at } = await desk()
    const byQuestion = { questionId: 'q0', answer: { type: 'approve' }, by: ann }
    await expect(decide(byQuestion)).rejects.toMatchObject({ name: 'DecisionInvalid' })
    await expect(at({ threadId: 'u' }, { ...byQuestion, threadId: 't' })).rejects.toMatchObject({
      name: 'HitlNoPendingRequest',
    })
    expect(await at({ threadId: 't' }, byQuestion)).toMatchObject([{ id: id(0), status: 'decided' }])
    expect(await decide({ questionId: 'q1', threadId: 't', decision: approve, by: ann })).toMatchObject([{ id: id(1) }])
  })

  it('a question id that was used before means what was shown, or what the digest names', async () => {
    const twice = [opened(0), opened(1, { questionId: 'q0' })]
    const again = { questionId: 'q0', decision: approve, by: bob }
    const first = await desk(twice, { threadId: 't' })
    await first.decide(yes(0))
    await expect(first.decide(again)).rejects.toMatchObject({ name: 'QuestionAmbiguous' })
    expect(await first.decide({ ...again, digest: 'x1' })).toMatchObject([{ id: id(1), status: 'decided' }])
    const second = await desk(twice, { threadId: 't' })
    await second.decide(yes(0))
    expect(await second.with({ shown: (one) => one === id(1) }, again)).toMatchObject([{ id: id(1) }])
  })

  it('an undo window delays the release, and a standing decision is given with its own id', async () => {
    const { decide, appends, added } = await desk()
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
      const { decide, appends } = await desk([about as Entry])
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
    const { decide, added } = await desk([opened(0, { ordinal: 0 }), { ...final, gate: true }, { ...bare }])
    for (const n of [0, 2])
      await expect(decide(yes(n, { undoSeconds: 5 }))).rejects.toMatchObject({
        name: 'DecisionInvalid',
        message: expect.stringMatching(/undoSeconds/),
      })
    await decide(yes(1, { undoSeconds: 5 }))
    expect(added()).toMatchObject([{ type: 'request.decided', id: id(1), undoMs: 5000 }])
    await decide(yes(0))
    expect(added().at(-1)).not.toHaveProperty('undoMs')
  })

  it('a confirm takes its answer once, with its comment', async () => {
    const { decide, appends, added } = await desk([confirm])
    const answer = { id: id(2), answer: true, by: ann, comment: 'c' }
    expect(await decide(answer)).toMatchObject([{ status: 'decided', version: 2, answer: { value: true, by: ann } }])
    expect(added()).toStrictEqual([
      { v: 1, type: 'request.answered', id: id(2), version: 2, answer: true, by: ann, comment: 'c' },
    ])
    expect(await decide(answer)).toMatchObject([{ status: 'decided', version: 2 }])
    expect(appends).toHaveLength(1)
    await expect(decide({ ...answer, answer: false })).rejects.toMatchObject({ name: 'HitlStaleAnswer' })
  })
})

describe('a key', () => {
  const keyed = (n: number, more: Partial<Answer> = {}) => yes(n, { idempotencyKey: 'k', ...more })

  it('is stored with what it came with, and the append is refused if anything came in since it was looked for', async () => {
    const { decide, appends, added } = await desk([opened(0), confirm])
    await decide(keyed(0))
    await decide({ id: id(2), answer: true, by: ann, idempotencyKey: 'other' })
    expect(appends.map(({ version }) => version)).toEqual([2, 4])
    const idempotency = { key: 'k', content: expect.stringMatching(/^[0-9a-f]{64}$/) }
    expect(added()[0]).toMatchObject({ idempotency })
    expect(added()[2]).toMatchObject({ type: 'request.answered', idempotency: { key: 'other' } })
  })

  it('makes a repeat return what was settled, and refuses other content', async () => {
    const { decide, appends, store } = await desk()
    await decide(keyed(0, { version: 1 }))
    await store.append({ threadId: 't', entries: [JSON.stringify({ v: 1, type: 'session.cleared' })] })
    expect(await decide(keyed(0, { version: 1 }))).toMatchObject([{ id: id(0), status: 'decided', version: 2 }])
    for (const other of [
      keyed(1),
      keyed(0, { decision: { type: 'reject' } }),
      keyed(0, { comment: 'c' }),
      keyed(0, { undoSeconds: 1 }),
      keyed(0, { always: true }),
    ])
      await expect(decide(other)).rejects.toMatchObject({ name: 'IdempotencyKeyReused' })
    expect(appends).toHaveLength(1)
    const [request] = await decide(keyed(0, { id: undefined as never, request: { id: id(0) } }))
    expect(request).toMatchObject({ id: id(0) })
  })

  it('covers the answer to a question as well', async () => {
    const { decide } = await desk([confirm])
    const answer = { id: id(2), answer: true, by: ann, idempotencyKey: 'k' }
    await decide(answer)
    await expect(decide(answer)).resolves.toMatchObject([{ id: id(2), answer: { value: true } }])
    await expect(decide({ ...answer, answer: false })).rejects.toMatchObject({ name: 'IdempotencyKeyReused' })
  })

  it('never decides again what was reopened since', async () => {
    const { decide, appends, ask } = await desk()
    await decide(keyed(0), keyed(1))
    await ask('t', [{ v: 1, type: 'request.reopened', id: id(0), version: 3, cause: 'withdrawn', by: ann }])
    expect(await decide(keyed(0), keyed(1))).toMatchObject([
      { id: id(0), status: 'open', version: 3 },
      { id: id(1), status: 'decided', version: 2 },
    ])
    expect(appends).toHaveLength(1)
  })

  it('counts for who used it, and is the same for all answers that are given together', async () => {
    const { decide } = await desk()
    await decide(keyed(0))
    await expect(decide(keyed(1, { by: bob }))).resolves.toMatchObject([{ id: id(1), status: 'decided' }])
    for (const other of ['l', undefined] as never[])
      await expect(decide(keyed(0), keyed(1, { idempotencyKey: other }))).rejects.toMatchObject({
        name: 'DecisionInvalid',
        message: expect.stringMatching(/one idempotencyKey/),
      })
    const both = await desk()
    await expect(both.decide(keyed(0), keyed(1))).resolves.toHaveLength(2)
    await expect(both.decide(keyed(0), keyed(1))).resolves.toMatchObject([{ id: id(0) }, { id: id(1) }])
  })
})

describe('an edit', () => {
  const edit = { type: 'edit', args: { n: 9 } } as const

  it('is checked before it is stored, and released as it was checked', async () => {
    const edited = { tool: 'pay', args: { n: 10 }, definition: 'd1', digest: 'y' }
    const checkEdit = vi.fn(async () => ({ ok: true as const, edited }))
    const { decide, added } = await desk(undefined, { checkEdit })
    await decide(yes(0, { decision: edit }), yes(1))
    expect(checkEdit.mock.calls).toMatchObject([[{ opened: { id: id(0) } }, edit, ann]])
    expect(added()[1]).toMatchObject({ type: 'call.released', digest: 'y', args: { n: 10 } })
  })

  it('that does not fit, or that a policy cannot judge, decides nothing', async () => {
    const fail = (error: Error) => ({ checkEdit: () => Promise.reject(error) })
    const { with: at, appends } = await desk()
    const given = yes(0, { decision: edit })
    await expect(at({ checkEdit: async () => ({ ok: false, problems: ['odd'] }) }, given)).rejects.toMatchObject({
      name: 'EditInvalid',
      requestId: id(0),
      problems: ['odd'],
    })
    const failed = Object.assign(Object.create(PolicyFailed.prototype), { problem: 'broken' }) as Error
    await expect(at(fail(failed), given)).rejects.toMatchObject({ name: 'EditNotJudged', cause: failed })
    await expect(at(fail(new TypeError('x')), given)).rejects.toBeInstanceOf(TypeError)
    expect(appends).toEqual([])
  })

  it('of a question that a body asks is not checked as a call', async () => {
    const checkEdit = vi.fn(async () => undefined)
    const { decide } = await desk([opened(0, { ordinal: 0 })], { checkEdit })
    await decide(yes(0, { decision: edit }))
    expect(checkEdit).not.toHaveBeenCalled()
  })
})

describe('what is known already', () => {
  it('is used once: if the append is refused, the store is asked', async () => {
    const { store, with: at, ask } = await desk()
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
    expect([known.mock.calls, getRequest.mock.calls]).toEqual([[[id(0)]], []])
    await expect(at({ known }, yes(0, { by: bob }))).rejects.toMatchObject({ name: 'HitlStaleAnswer', by: ann })
    expect(known).toHaveBeenCalledTimes(2)
    await ask('t', [opened(4)])
    await expect(at({ known: () => undefined }, yes(4))).resolves.toMatchObject([{ id: id(4) }])
  })

  it('a request past its deadline is closed by the first process that finds it, and takes no answer', async () => {
    const { decide, store, appends } = await desk([opened(0, { expiresAt: 7 })])
    await expect(decide(yes(0))).rejects.toMatchObject({ name: 'HitlStaleAnswer', requestStatus: 'expired' })
    expect((await store.getRequest(id(0)))?.status).toBe('expired')
    expect(appends).toHaveLength(2)
  })
})
