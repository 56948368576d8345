import { type ConformanceReport, reasonsToSkip, runCases } from '../run-cases.ts'
import { appendCases } from './cases/append-cases.ts'
import { chainCases } from './cases/chain-cases.ts'
import { closeCases } from './cases/close-cases.ts'
import { contentCases } from './cases/content-cases.ts'
import { dueCases } from './cases/due-cases.ts'
import { eraseCases } from './cases/erase-cases.ts'
import { followCases } from './cases/follow-cases.ts'
import { grantCases } from './cases/grant-cases.ts'
import { grantFindingCases } from './cases/grant-finding-cases.ts'
import { handleCases } from './cases/handle-cases.ts'
import { leaseCases } from './cases/lease-cases.ts'
import { listCases } from './cases/list-cases.ts'
import { orderCases } from './cases/order-cases.ts'
import { outboxCases } from './cases/outbox-cases.ts'
import { pagingCases } from './cases/paging-cases.ts'
import { recordCases } from './cases/record-cases.ts'
import { requestCases } from './cases/request-cases.ts'
import { forgedSnapshotCases, snapshotCases } from './cases/snapshot-cases.ts'
import { tamperCases } from './cases/tamper-cases.ts'
import { tenantCases } from './cases/tenant-cases.ts'
import { threadCases } from './cases/thread-cases.ts'
import { wakeCases } from './cases/wake-cases.ts'
import type { StoreCase, StoreHarness } from './store-case.ts'

/** The requirements for every store, as data. Run them with any test runner, or with {@link runStoreConformance}. */
export const storeConformance: readonly StoreCase[] = [
  ...appendCases,
  ...contentCases,
  ...leaseCases,
  ...requestCases,
  ...pagingCases,
  ...listCases,
  ...orderCases,
  ...dueCases,
  ...wakeCases,
  ...grantCases,
  ...grantFindingCases,
  ...tenantCases,
  ...threadCases,
  ...recordCases,
  ...outboxCases,
  ...followCases,
  ...chainCases,
  ...tamperCases,
  ...eraseCases,
  ...snapshotCases,
  ...forgedSnapshotCases,
  ...closeCases,
  ...handleCases,
]

/** Runs the suite against a backend, case by case. Throws only for a skip that names an unknown case. */
export function runStoreConformance(harness: StoreHarness): Promise<ConformanceReport> {
  return runCases(storeConformance, harness)
}

/** The skipped cases, with reasons. An unknown case name is an error. */
export function skipReasons({ skips }: Pick<StoreHarness, 'skips'>): ReadonlyMap<string, string> {
  return reasonsToSkip(storeConformance, skips)
}
