export type { Verify } from './store/shared/verify.ts'
export type { OnWarning, StoreWarning } from './store/shared/warning.ts'
export { type SqliteStoreOptions, sqliteStore } from './store/sqlite/store.ts'
