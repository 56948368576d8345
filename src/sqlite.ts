export {
  type OnWarning,
  type SqliteStoreOptions,
  type StoreWarning,
  sqliteStore,
  type Verify,
} from './store/sqlite/store.ts'
