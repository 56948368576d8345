import { describe, expect, it, vi } from 'vitest'
import { RunState, run } from '../../src/index.ts'
import { until } from '../support/until.ts'
import { agentOf, type Facts, refundOf, storedOf, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ maxConcurrency: 4 })

const inbox = useInbox()

describe.concurrent('several people at one queue', () => {
  it('two who decide at once: one wins, the other sees live who it was, and nothing of theirs is stored', async () => {
    const server = await inbox.serve()
    const [id] = await wish(server.store, refundOf(4200))
    const [ann, bob] = await Promise.all([inbox.seat(server), inbox.seat(server, { sub: 'bob' })])
    await Promise.all([ann.reads('€42.00'), bob.reads('€42.00')])
    // Neither decision reaches the server before both are made.
    let made = 0
    for (const { page } of [ann, bob]) {
      await page.route('**/decide', async (route) => {
        made++
        await until(() => made === 2)
        await route.continue()
      })
    }
    await Promise.all([ann.approve.click(), bob.approve.click()])
    await until(async () => (await storedOf(server.store, id!)).status === 'decided')
    const { by } = await storedOf(server.store, id!)
    const loser = by === 'ann' ? bob : ann
    await loser.page.getByText(`Already decided by ${by}: approved`).waitFor()
    expect(await loser.approve.count()).toBe(0)
  })

  it('what another decides is told while it is read, and what was typed is not sent', async () => {
    const server = await inbox.serve()
    const [id] = await wish(server.store, refundOf(4200))
    const [ann, bob] = await Promise.all([inbox.seat(server), inbox.seat(server, { sub: 'bob' })])
    await ann.reads('€42.00')
    await ann.page.keyboard.press('r')
    await ann.page.keyboard.type('not this one')
    await bob.reads('€42.00')
    await bob.approve.click()
    await ann.page.getByText('Already decided by bob: approved').waitFor()
    await ann.page.getByText('while you were reading. What you had typed was not sent.').waitFor()
    await ann.headline.filter({ hasText: '€42.00' }).waitFor()
    await ann.page.keyboard.press('Control+Enter')
    await ann.quiet()
    expect(await storedOf(server.store, id!)).toEqual({ status: 'decided', decision: 'approve', by: 'bob' })
    expect(ann.writes.filter((write) => write.includes('decide'))).toEqual([])
  })

  it('new requests announce themselves and move nothing', async () => {
    const server = await inbox.serve()
    await wish(server.store, refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    const ann = await inbox.seat(server)
    await ann.reads('one@example.com')
    const before = await ann.rows.allInnerTexts()
    const place = await ann.approve.boundingBox()
    await wish(server.store, refundOf(4400, 'urgent@example.com', { timeoutSeconds: 60 }))
    const fresh = ann.page.getByRole('button', { name: '1 new' })
    await fresh.waitFor()
    expect((await ann.rows.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual(
      before.map((text) => text.split('\n')[0]),
    )
    expect(await ann.approve.boundingBox()).toEqual(place)
    expect(await ann.page.title()).toMatch(/^\(3\)/)
    await fresh.click()
    await ann.rows.filter({ hasText: 'urgent@example.com' }).waitFor()
    expect((await ann.rows.allInnerTexts())[0]).toContain('urgent@example.com')
    await ann.headline.filter({ hasText: 'one@example.com' }).waitFor()
  })

  it('facts that changed: it is asked again with the difference, and approve waits until that is acknowledged', async () => {
    const server = await inbox.serve({ undoSeconds: 0 })
    const facts: Facts = { running: '1.0' }
    const agent = agentOf([{ tool: 'deploy', args: { service: 'shop' } }], facts)
    await run(agent, 'go', { store: server.store, threadId: 't' })
    const [ann, bob] = await Promise.all([inbox.seat(server), inbox.seat(server, { sub: 'bob' })])
    await Promise.all([ann.reads('Deploy shop'), bob.reads('Deploy shop')])
    facts.running = '1.1'
    await bob.approve.click()
    await ann.page.getByText('Already decided by bob: approved').waitFor()
    const again = await run(agent, await RunState.load(agent, { threadId: 't', store: server.store }), {
      store: server.store,
    })
    const id = again.interruptions[0]!.id
    await ann.page.getByRole('button', { name: '1 new' }).click()
    await ann.rows.filter({ hasText: 'asked again' }).click()
    await ann.page.getByText('1.1').first().waitFor()
    await ann.rested()
    await ann.approve.click({ force: true })
    await ann.page.keyboard.press('a')
    await ann.page.keyboard.press('Enter')
    await ann.quiet()
    expect(await storedOf(server.store, id)).toEqual({ status: 'open' })
    await ann.page.getByRole('checkbox', { name: /I have read the 1 changed fact/ }).check()
    await ann.approve.click()
    await until(async () => (await storedOf(server.store, id)).status === 'decided')
  })

  it('a request that expires while it is read says so at once, and can no longer be decided', async () => {
    const server = await inbox.serve()
    const ann = await inbox.seat(server)
    const [id] = await wish(server.store, refundOf(4200, 'ada@example.com', { timeoutSeconds: 15 }))
    await ann.page.getByText('€42.00').first().waitFor()
    await ann.page.getByText('Expired while you were reading').waitFor()
    expect(await ann.approve.count()).toBe(0)
    await ann.page.keyboard.press('a')
    await ann.page.keyboard.press('Enter')
    await until(async () => (await storedOf(server.store, id!)).status === 'expired')
    expect(ann.writes.filter((write) => write.includes('decide'))).toEqual([])
  })

  it('new input that takes the place of a request closes it on the screen', async () => {
    const server = await inbox.serve()
    const agent = agentOf([refundOf(4200)])
    const thread = agent.thread('t', { store: server.store })
    await thread.prompt('refund it')
    const ann = await inbox.seat(server)
    await ann.reads('€42.00')
    await thread.prompt('never mind', { whilePaused: 'supersede' })
    await ann.verdict.getByText('Replaced. This version can no longer be decided.').waitFor()
    expect(await ann.approve.count()).toBe(0)
  })

  it('who may read but not decide is told who may, and has no verdict', async () => {
    const server = await inbox.serve()
    await wish(server.store, refundOf(4200, 'ada@example.com', { reviewers: ['user:bob', 'group:finance'] }))
    const auditor = await inbox.seat(server, { sub: 'cat', roles: ['auditor'] })
    await auditor.page.getByText('You can read this, not decide it').waitFor()
    expect(await auditor.approve.count()).toBe(0)
    const ann = await inbox.seat(server)
    await ann.page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    const finance = await inbox.seat(server, { sub: 'dan', groups: ['finance'] })
    await finance.reads('€42.00')
    expect(await finance.approve.count()).toBe(1)
  })
})
