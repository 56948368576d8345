import { type ConformanceReport, reasonsToSkip, runCases } from '../run-cases.ts'
import { closeCases } from './cases/close-cases.ts'
import { followCases } from './cases/follow-cases.ts'
import { handleCases } from './cases/handle-cases.ts'
import { appendCases } from './cases/journal/append-cases.ts'
import { chainCases } from './cases/journal/chain-cases.ts'
import { chunkCases } from './cases/journal/chunk-cases.ts'
import { contentCases } from './cases/journal/content-cases.ts'
import { eraseCases } from './cases/journal/erase-cases.ts'
import { leaseCases } from './cases/journal/lease-cases.ts'
import { orderCases } from './cases/journal/order-cases.ts'
import { partCases } from './cases/journal/part-cases.ts'
import { forgedSnapshotCases, snapshotCases } from './cases/journal/snapshot-cases.ts'
import { tamperCases } from './cases/journal/tamper-cases.ts'
import { threadCases } from './cases/journal/thread-cases.ts'
import { outboxCases } from './cases/outbox-cases.ts'
import { recordCases } from './cases/record-cases.ts'
import { dueCases } from './cases/requests/due-cases.ts'
import { grantCases } from './cases/requests/grant-cases.ts'
import { grantFindingCases } from './cases/requests/grant-finding-cases.ts'
import { listCases } from './cases/requests/list-cases.ts'
import { pagingCases } from './cases/requests/paging-cases.ts'
import { requestCases } from './cases/requests/request-cases.ts'
import { wakeCases } from './cases/requests/wake-cases.ts'
import { tenantCases } from './cases/tenant-cases.ts'
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
  ...partCases,
  ...[...tamperCases, ...forgedSnapshotCases].map((each): StoreCase => ({ ...each, tampers: true })),
  ...eraseCases,
  ...snapshotCases,
  ...chunkCases,
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
