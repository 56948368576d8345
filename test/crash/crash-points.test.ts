import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory/store.ts'
import { withCrashPoints } from '../../src/testing/crash-points.ts'

const entry = (type: string) => JSON.stringify({ v: 1, type })

describe('A store with crash points', () => {
  it('reaches a point of its own before and after each append, and is otherwise the same store', async () => {
    const reached: string[] = []
    const inner = memoryStore()
    const store = withCrashPoints(inner, (name) => reached.push(name))
    await store.append({ threadId: 't', entries: [entry('run.opened'), entry('model.answered')] })
    await store.append({ threadId: 't', entries: [], lease: { op: 'drop', holder: 'a', token: 1 } })
    await store.tenant('other').append({ threadId: 't', entries: [entry('run.opened')] })
    expect(reached).toEqual([
      'before:run.opened#1',
      'after:run.opened#1',
      'before:lease#1',
      'after:lease#1',
      'before:run.opened#2',
      'after:run.opened#2',
    ])
    expect((await store.read('t')).version).toBe(2)
    expect(await store.readChain('t')).toEqual(await inner.readChain('t'))
    expect((await inner.tenant('other').read('t')).version).toBe(1)
    expect(store.tenantId).toBe('default')
  })

  it('stores nothing when a point throws before an append, and everything when it throws after', async () => {
    const inner = memoryStore()
    const dying = (at: string) =>
      withCrashPoints(inner, (name) => {
        if (name === at) throw new Error('killed')
      })
    const append = { threadId: 't', entries: [entry('run.opened')] }
    await expect(dying('before:run.opened#1').append(append)).rejects.toThrow('killed')
    expect((await inner.read('t')).version).toBe(0)
    await expect(dying('after:run.opened#1').append(append)).rejects.toThrow('killed')
    expect((await inner.read('t')).version).toBe(1)
  })
})
