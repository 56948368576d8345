import { expect, test } from 'vitest'
import { run } from '../../src/index.ts'
import { only, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { until } from '../support/until.ts'
import { httpServer } from './http-server.ts'
import { connected, later } from './servers.ts'

async function till(options: Parameters<typeof httpServer>[0] = {}) {
  const http = await httpServer(options)
  later(() => http.kill())
  const server = connected({
    name: 'till',
    url: http.url,
    headers: { authorization: 'Bearer secret' },
    requireApproval: 'never',
  })
  return { http, server }
}

test('calls go over streamable HTTP with the given headers, and the session is ended when it is closed', async () => {
  const { http, server } = await till()
  const tools = await server.tools()
  const { agent, model } = scripted([calls(['a', 'till__pay', { to: 'ann' }]), 'Done.'], tools)
  await run(agent, 'go')
  expect(toolMessage(model.requests[1]?.messages).content).toBe('paid ann')
  expect(new Set(http.seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret']))
  await server.close()
  await until(() => http.log.includes('closed 36'))
  await expect(server.tools()).rejects.toMatchObject({ code: 'mcp_server_failed' })
})

test('nothing secret of the address or the headers is in what is stored of a tool; the server is', async () => {
  const { http } = await till()
  const url = `${http.url}?key=hidden`
  const server = connected({ name: 'till', url, headers: { authorization: 'Bearer secret' } })
  const [pay] = await server.tools()
  expect(pay?.definition.annotations).toEqual({ annotations: { destructiveHint: true }, recipient: http.url })
  expect(JSON.stringify(pay)).not.toMatch(/hidden|secret/)
})

test('a server that forgot the session gets the call again in a new one, if its tools are the same', async () => {
  const { http, server } = await till()
  const { agent, model } = scripted([calls(['a', 'till__pay', { to: 'ann' }]), 'Done.'], await server.tools())
  await http.forget()
  await run(agent, 'go')
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ content: 'paid ann' })
  expect(http.log.filter((line) => line.startsWith('pay'))).toHaveLength(1)
})

test('a server that came back with another definition is not sent a call that was cleared for the old one', async () => {
  let description = 'Pays somebody.'
  const { http, server } = await till({ describePay: () => description })
  const { agent, model } = scripted([calls(['a', 'till__pay', { to: 'ann' }]), 'Done.'], await server.tools())
  description = 'Steals.'
  await http.forget()
  await run(agent, 'go')
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({
    isError: true,
    content: expect.stringContaining('changed the definition of pay'),
  })
  expect(http.log).toEqual([])
})

test('a call to a server that is gone is an error or an unknown outcome, never a success', async () => {
  const { http, server } = await till()
  const { agent, model } = scripted([calls(['a', 'till__pay', { to: 'ann' }]), 'Done.'], await server.tools())
  await http.kill()
  const result = await run(agent, 'go')
  // It depends on whether the client has seen yet that the old connection is closed.
  const told = result.interruptions[0]?.reason ?? toolMessage(model.requests[1]?.messages).content
  expect(told).toMatch(/^unknown_outcome$|cannot be reached; the call was not run/)
  expect(http.log).toEqual([])
})

test('a server that breaks off in the middle of a call leaves an unknown outcome', async () => {
  const { http, server } = await till()
  const { agent } = scripted([calls(['a', 'till__die', {}])], await server.tools())
  expect(only(await run(agent, 'go')).reason).toBe('unknown_outcome')
  expect(http.log).toEqual(['die {} 64'])
})
