export { migrations } from './store/postgres/schema.ts'
export { type PostgresStoreOptions, postgresStore } from './store/postgres/store.ts'
