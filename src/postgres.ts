export { migrations } from './store/postgres/schema.ts'
export { type PostgresStoreOptions, postgresStore } from './store/postgres/store.ts'
export type { Verify } from './store/shared/verify.ts'
export type { OnWarning, StoreWarning } from './store/shared/warning.ts'
