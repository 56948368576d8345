import { expect, it } from 'vitest'
import { createGate, shutAtExit } from './exit-gate.ts'

it('a process that ends waits for all of its threads together no longer than for one', () => {
  const forget = Array.from({ length: 3 }, () => {
    const gate = createGate()
    // Its thread is inside, and stays there.
    new Int32Array(gate)[0] = 1
    return shutAtExit(gate)
  })
  const shut = process.listeners('exit').find(({ name }) => name === 'shutAll')
  const began = performance.now()
  shut?.(0)
  const waited = performance.now() - began
  for (const one of forget) one()
  expect(waited).toBeGreaterThan(4_900)
  expect(waited).toBeLessThan(9_000)
})
