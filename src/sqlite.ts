export { type SqliteStoreOptions, sqliteStore } from './store/sqlite/store.ts'
