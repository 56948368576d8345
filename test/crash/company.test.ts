import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { effectsAt } from '../../demo/inbox/effects.js'
import { createCompany } from '../../demo/inbox/main.js'
import { openDesk } from '../../src/index.ts'
import { demoAsked } from '../support/demo-asked.ts'
import { lockFile } from '../support/stores/lock-file.ts'
import { inFolder } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { pause, until } from '../support/until.ts'

it('the demo goes on by itself after its store was locked for longer than it waits', async () => {
  await inFolder('company', async (folder) => {
    const path = join(folder, 'store.db')
    const store = storeAt(path, { durability: 'process', busyTimeoutMs: 50 })
    const stopping = new AbortController()
    const errors: unknown[] = []
    await store.read('none')
    const locked = await lockFile(path)
    const running = createCompany(folder).run({
      store,
      signal: stopping.signal,
      fixed: true,
      onError: (error) => void errors.push(error),
    })
    // Nobody could begin: each has tried at least once.
    await pause(1500)
    await locked.release()
    const desk = openDesk({ store })
    const open = async () => (await desk.list({ status: 'open', limit: 50 })).requests
    await demoAsked(store)
    expect(errors).toEqual([])

    // Runs that wait for an answer read all the time; those that were answered write.
    const [request] = (await open()).filter(({ toolName, kind }) => toolName === 'refund' && kind === 'approve')
    const undoMs = 15_000
    const decidedAt = Date.now()
    await desk.decide({ request: request!, decision: { type: 'approve' }, by: 'ann', undoSeconds: undoMs / 1000 })
    const again = await lockFile(path)
    // Locked before the window ends, and for a while after.
    expect(Date.now() - decidedAt).toBeLessThan(undoMs)
    await pause(decidedAt + undoMs + 2000 - Date.now())
    const { all } = effectsAt(join(folder, 'effects.log'))
    expect(all().filter(({ thread }) => thread === request!.threadId)).toEqual([])
    await again.release()
    await until(() => all().some(({ thread }) => thread === request!.threadId))
    expect(errors).toEqual([])
    stopping.abort()
    await running
    await store.close()
  })
})

it('the effects of the demo survive a line that was cut off', async () => {
  await inFolder('effects', async (folder) => {
    const path = join(folder, 'effects.log')
    const effects = effectsAt(path)
    const effect = { key: 'a', what: 'paid €5', thread: 't', by: 'ann' }
    effects.once(effect)
    appendFileSync(path, readFileSync(path).subarray(0, 30))
    expect(effects.once({ ...effect, key: 'b' })).toBe(true)
    expect(effects.once({ ...effect, key: 'b' })).toBe(false)
    expect(effects.all().map(({ key }) => key)).toEqual(['a', 'b'])
  })
})
