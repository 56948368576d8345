import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type HitlRequest, memoryStore } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { holdpoint, tempDir } from '../cli/support/programs.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { counted, gateOf, held, refund } from './gate.ts'

test('what a gate holds is listed, shown and decided over HTTP', async () => {
  const store = memoryStore()
  const gate = gateOf(store)
  const { id, threadId } = await held(gate, refund())
  const { url } = await served({ store })
  const authorization = `Bearer ${await tokenOf('ann', { roles: ['reviewer'] })}`
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': 'once' }
    const response = await fetch(`${url}${path}`, { ...init, headers })
    return { status: response.status, body: (await response.json()) as { request: HitlRequest } }
  }
  const list = await call('/v1/requests?status=open')
  expect(list).toMatchObject({ status: 200, body: { requests: [{ id, toolName: 'refund', agent: 'test' }] } })
  expect(JSON.stringify(list.body)).not.toContain('external')
  const { body } = await call(`/v1/requests/${id}`)
  expect(body).toMatchObject({ request: { id, args: refund().args } })
  const decided = { decision: { type: 'approve' }, version: body.request.version, digest: body.request.digest }
  expect(await call(`/v1/requests/${id}/decide`, { method: 'POST', body: JSON.stringify(decided) })).toMatchObject({
    status: 200,
  })
  expect(await gate.wait(refund())).toMatchObject({ status: 'released', by: { kind: 'person', id: 'ann' } })
  const { runs, run } = counted()
  await gate.execute(refund(), run)
  expect(runs.length).toBe(1)
  expect((await call(`/v1/threads/${encodeURIComponent(threadId)}`)).status).toBe(200)
})

test('what a gate holds is listed and decided on the command line, and its journal verifies', async () => {
  const dir = tempDir()
  const store = sqliteStore({ path: join(dir, 'holdpoint.db') })
  try {
    const gate = gateOf(store)
    const { id } = await held(gate, refund())
    const listed = holdpoint(dir, ['requests', '--store', 'holdpoint.db'])
    expect([listed.stderr, listed.code]).toEqual(['', 0])
    expect(listed.stdout).toContain('refund')
    const approved = holdpoint(dir, ['approve', id, '--store', 'holdpoint.db'])
    expect([approved.stderr, approved.code]).toEqual(['', 0])
    const { runs, run } = counted()
    await gate.execute(refund(), run)
    expect(runs.length).toBe(1)
    const verified = holdpoint(dir, ['audit', 'verify', '--store', 'holdpoint.db'])
    expect([verified.stderr, verified.code]).toEqual(['', 0])
  } finally {
    await store.close()
  }
})

test('the command line finds, shows, grants and erases by the conversation of the host', async () => {
  const dir = tempDir()
  const store = sqliteStore({ path: join(dir, 'holdpoint.db') })
  const run = (...args: string[]) => holdpoint(dir, [...args, '--store', 'holdpoint.db'])
  try {
    const gate = gateOf(store)
    const { id } = await held(gate, refund({ principal: 'bob' }))
    await held(gate, refund({ threadId: 'chat-2' }))
    const listed = run('requests', '--thread', 'chat-1')
    expect([listed.stderr, listed.code]).toEqual(['', 0])
    expect(listed.stdout).toContain('in conversation chat-1 of test')
    expect(listed.stdout).not.toContain('chat-2')
    const shown = run('show', id)
    expect(shown.stdout).toContain('test, conversation chat-1')
    expect(shown.stdout).toContain('on behalf of bob')
    const approved = run('approve', id, '--always', '--scope', 'thread')
    expect([approved.stderr, approved.code]).toEqual(['', 0])
    expect(approved.stdout).toContain('in this conversation')
    expect(run('grants').stdout).toContain('in this conversation')
    const erased = run('erase', '--thread', 'chat-1', '--reason', 'asked', '--by', 'ann')
    expect([erased.stderr, erased.code]).toEqual(['', 0])
    expect((await store.findGrants({})).grants).toEqual([])
  } finally {
    await store.close()
  }
})
