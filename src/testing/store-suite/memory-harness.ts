import { memoryStore } from '../../store/memory/store.ts'
import { fakeClock } from '../fake-clock.ts'
import { followCases } from './cases/follow-cases.ts'
import { handleCases } from './cases/handle-cases.ts'
import { eraseCases } from './cases/journal/erase-cases.ts'
import { forgedSnapshotCases } from './cases/journal/snapshot-cases.ts'
import { tamperCases } from './cases/journal/tamper-cases.ts'
import { outboxCases } from './cases/outbox-cases.ts'
import { recordCases } from './cases/record-cases.ts'
import { grantFindingCases } from './cases/requests/grant-finding-cases.ts'
import { wakeCases } from './cases/requests/wake-cases.ts'
import type { StoreHarness } from './store-case.ts'

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
        cases: [...tamperCases, ...forgedSnapshotCases].map(({ name }) => name),
      },
    ],
  }
}
