import { describe, expect, it } from 'vitest'
import { ann, askedDesk, asksToConfirm, bob, opened, requestId, yes } from '../../../test/support/desk/asked-desk.ts'
import type { Answer } from './answer-shape.ts'

describe('a key', () => {
  const keyed = (n: number, more: Partial<Answer> = {}) => yes(n, { idempotencyKey: 'k', ...more })

  it('is stored with what it came with, and the append is refused if anything came in since it was looked for', async () => {
    const { decide, appends, added } = await askedDesk([opened(0), asksToConfirm])
    await decide(keyed(0))
    await decide({ id: requestId(2), answer: true, by: ann, idempotencyKey: 'other' })
    expect(appends.map(({ version }) => version)).toEqual([2, 4])
    const idempotency = { key: 'k', content: expect.stringMatching(/^[0-9a-f]{64}$/) }
    expect(added()[0]).toMatchObject({ idempotency })
    expect(added()[2]).toMatchObject({ type: 'request.answered', idempotency: { key: 'other' } })
  })

  it('makes a repeat return what was settled, and refuses other content', async () => {
    const { decide, appends, store } = await askedDesk()
    await decide(keyed(0, { version: 1 }))
    await store.append({ threadId: 't', entries: [JSON.stringify({ v: 1, type: 'session.cleared' })] })
    expect(await decide(keyed(0, { version: 1 }))).toMatchObject([{ id: requestId(0), status: 'decided', version: 2 }])
    for (const other of [
      keyed(1),
      keyed(0, { decision: { type: 'reject' } }),
      keyed(0, { comment: 'c' }),
      keyed(0, { undoSeconds: 1 }),
      keyed(0, { always: true }),
    ])
      await expect(decide(other)).rejects.toMatchObject({ name: 'IdempotencyKeyReused' })
    expect(appends).toHaveLength(1)
    const [request] = await decide(keyed(0, { id: undefined as never, request: { id: requestId(0) } }))
    expect(request).toMatchObject({ id: requestId(0) })
  })

  it('covers the answer to a question as well', async () => {
    const { decide } = await askedDesk([asksToConfirm])
    const answer = { id: requestId(2), answer: true, by: ann, idempotencyKey: 'k' }
    await decide(answer)
    await expect(decide(answer)).resolves.toMatchObject([{ id: requestId(2), answer: { value: true } }])
    await expect(decide({ ...answer, answer: false })).rejects.toMatchObject({ name: 'IdempotencyKeyReused' })
  })

  it('never decides again what was reopened since', async () => {
    const { decide, appends, ask } = await askedDesk()
    await decide(keyed(0), keyed(1))
    await ask('t', [{ v: 1, type: 'request.reopened', id: requestId(0), version: 3, cause: 'withdrawn', by: ann }])
    expect(await decide(keyed(0), keyed(1))).toMatchObject([
      { id: requestId(0), status: 'open', version: 3 },
      { id: requestId(1), status: 'decided', version: 2 },
    ])
    expect(appends).toHaveLength(1)
  })

  it('counts for who used it, and is the same for all answers that are given together', async () => {
    const { decide } = await askedDesk()
    await decide(keyed(0))
    await expect(decide(keyed(1, { by: bob }))).resolves.toMatchObject([{ id: requestId(1), status: 'decided' }])
    for (const other of ['l', undefined] as never[])
      await expect(decide(keyed(0), keyed(1, { idempotencyKey: other }))).rejects.toMatchObject({
        name: 'DecisionInvalid',
        message: expect.stringMatching(/one idempotencyKey/),
      })
    const both = await askedDesk()
    await expect(both.decide(keyed(0), keyed(1))).resolves.toHaveLength(2)
    await expect(both.decide(keyed(0), keyed(1))).resolves.toMatchObject([{ id: requestId(0) }, { id: requestId(1) }])
  })
})
