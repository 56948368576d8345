import { expect, test } from 'vitest'
import { createGate } from '../../src/gate.ts'
import { humanInTheLoop, memoryStore } from '../../src/index.ts'

test('first mistakes are told by an error that says what to do', async () => {
  const policy = humanInTheLoop({ interruptOn: { refund: true } })
  const gate = createGate({ store: memoryStore(), policy, source: 'x' })
  const call = { threadId: 't', toolName: 'refund', args: {} }
  const told = { code: 'input_invalid', message: expect.stringContaining('takes an array') }
  await expect(gate.judge(call as never)).rejects.toMatchObject(told)
  const nobody = { code: 'input_invalid', message: expect.stringContaining('needs who decides') }
  await expect(gate.decide('id', { type: 'approve' }, undefined as never)).rejects.toMatchObject(nobody)
  expect(() => humanInTheLoop(undefined as never)).toThrow('humanInTheLoop needs interruptOn.')
  expect(() => createGate(undefined as never)).toThrow('needs a store')
})
