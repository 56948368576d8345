export { migrations } from './store/postgres/schema.ts'
export {
  type OnWarning,
  type PostgresStoreOptions,
  postgresStore,
  type StoreWarning,
  type Verify,
} from './store/postgres/store.ts'
