import { memoryStore } from '../../store/memory/store.ts'
import { fakeClock } from '../fake-clock.ts'
import { eraseCases } from './erase-cases.ts'
import { followCases } from './follow-cases.ts'
import { grantFindingCases } from './grant-finding-cases.ts'
import { handleCases } from './handle-cases.ts'
import { outboxCases } from './outbox-cases.ts'
import { recordCases } from './record-cases.ts'
import type { StoreHarness } from './store-case.ts'
import { tamperCases } from './tamper-cases.ts'
import { wakeCases } from './wake-cases.ts'

/** Connects the memory store to the suite. Its data does not outlive its handle. */
export function memoryHarness(): StoreHarness {
  const clock = fakeClock()
  return {
    clock,
    create: async (options) => memoryStore({ clock, ...options }),
    skips: [
      {
        reason: 'a memory store lives in one handle of one process',
        cases: [
          ...handleCases,
          ...followCases,
          ...grantFindingCases,
          ...recordCases,
          ...outboxCases,
          ...wakeCases,
          ...eraseCases,
        ]
          .map(({ name }) => name)
          .filter((name) => name.includes('handle') || name.includes('reopened')),
      },
      {
        reason: 'nobody else can reach the memory of a process',
        cases: tamperCases.map(({ name }) => name),
      },
    ],
  }
}
