import { describe, expect, test } from 'vitest'
import { hostPolicy } from '../../src/gate.ts'
import { racePlaces } from '../races/places.ts'
import { counted, gateOf, held, refund } from './gate.ts'

describe.each(racePlaces())('a gate with rules of its host %s', (_name, place) => {
  test('holds what the host holds, as the host says; the rest is free', async () => {
    const gate = gateOf(place()(), { policy: hostPolicy })
    expect(gate.policies).toEqual(['host'])
    expect(await gate.judge([refund({ callId: 'free' })])).toMatchObject([{ status: 'free' }])
    await held(gate, refund({ callId: 'plain', context: { hostReview: true } }))
    const hostReview = { allowedDecisions: ['approve'], description: 'Look twice.' }
    const request = await held(gate, refund({ callId: 'described', context: { hostReview } }))
    expect(request).toMatchObject(hostReview)
  })

  test('refuses to judge by a rule that is none, and runs nothing', async () => {
    const gate = gateOf(place()(), { policy: hostPolicy })
    const call = refund({ context: { hostReview: { allowedDecisions: [] } } })
    await expect(gate.judge([call])).rejects.toThrow()
    const { runs, run } = counted()
    await expect(gate.execute(call, run)).rejects.toThrow()
    expect(runs).toEqual([])
  })

  test('keeps a bookmark once, whoever writes at the same time', async () => {
    const open = place()
    const gates = [gateOf(open()), gateOf(open()), gateOf(open())]
    const kept = await Promise.all(gates.map((gate, index) => gate.bookmarkOnce('chat', { index })))
    expect(kept.filter(({ isNew }) => isNew).length).toBe(1)
    expect(new Set(kept.map(({ value }) => JSON.stringify(value))).size).toBe(1)
    expect(await gates[0]!.bookmarked('chat')).toEqual(kept[0]!.value)
    expect(await gates[0]!.bookmarked('another')).toBeUndefined()
    await gates[0]!.bookmark('chat', 'replaced')
    expect(await gates[1]!.bookmarked('chat')).toBe('replaced')
    await expect(gates[0]!.bookmarked('')).rejects.toThrow(/needs the threadId/)
  })
})
