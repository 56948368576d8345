import { type ConformanceReport, reasonsToSkip, runCases } from '../run-cases.ts'
import { appendCases } from './append-cases.ts'
import { chainCases } from './chain-cases.ts'
import { closeCases } from './close-cases.ts'
import { contentCases } from './content-cases.ts'
import { dueCases } from './due-cases.ts'
import { eraseCases } from './erase-cases.ts'
import { followCases } from './follow-cases.ts'
import { grantCases } from './grant-cases.ts'
import { grantFindingCases } from './grant-finding-cases.ts'
import { handleCases } from './handle-cases.ts'
import { leaseCases } from './lease-cases.ts'
import { listCases } from './list-cases.ts'
import { orderCases } from './order-cases.ts'
import { outboxCases } from './outbox-cases.ts'
import { pagingCases } from './paging-cases.ts'
import { recordCases } from './record-cases.ts'
import { requestCases } from './request-cases.ts'
import type { StoreCase, StoreHarness } from './store-case.ts'
import { tamperCases } from './tamper-cases.ts'
import { tenantCases } from './tenant-cases.ts'
import { threadCases } from './thread-cases.ts'
import { wakeCases } from './wake-cases.ts'

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
