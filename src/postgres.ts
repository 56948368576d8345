export { type Migrated, type MigrateOptions, migratePostgres } from './store/postgres/migrate/apply.ts'
export { type RoleOptions, roleScript } from './store/postgres/migrate/role.ts'
export { type MigrationStatus, migrationStatus } from './store/postgres/migrate/status.ts'
export {
  type OnWarning,
  type PostgresStoreOptions,
  postgresStore,
  type StoreWarning,
  type Verify,
} from './store/postgres/store.ts'
export { migrations } from './store/postgres/tables/schema.ts'
