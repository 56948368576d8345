// holdpoint/postgres: 13 exports. Written by `npm run api`; do not edit.

import type { AuditKey, Store } from 'holdpoint'
import type { Clock, StoreLimits } from 'holdpoint/ports'
import type { CrashPoint } from 'holdpoint/testing'

export interface MigrateOptions {
    connectionString: string;
    schema?: string;
    lockTimeoutMs?: number;
    timeoutMs?: number;
    onStep?(step: string): void | Promise<void>;
}

export interface Migrated {
    from: number;
    to: number;
    steps: string[];
}

export interface MigrationStatus {
    version: number;
    needed: number;
    oldest: number | null;
    pending: string[];
    holder: {
        pid: number;
        application: string;
        sinceMs: number;
    } | null;
}

export type OnWarning = (warning: StoreWarning) => void;

export interface PostgresStoreOptions {
    connectionString?: string;
    pool?: PgPool;
    listenConnectionString?: string | null;
    schema?: string;
    create?: boolean;
    timeoutMs?: number;
    clock?: Clock;
    auditKey?: AuditKeyOption;
    verify?: Verify;
    limits?: StoreLimits;
    onWarning?: OnWarning;
    crashPoint?: CrashPoint;
}

export interface RoleOptions {
    role: string;
    schema?: string;
    tenant?: string;
    erase?: boolean;
}

export interface StoreWarning {
    readonly code: WarningName;
    readonly message: string;
}

export type Verify = 'chain' | 'envelope';

export declare function migratePostgres(options: MigrateOptions): Promise<Migrated>;

export declare function migrationStatus(options: {
    connectionString: string;
    schema?: string;
}): Promise<MigrationStatus>;

export declare function migrations(schema?: string): string;

export declare function postgresStore(options: PostgresStoreOptions): Store;

export declare function roleScript({ role, schema, tenant, erase }: RoleOptions): string;

// Not exported, and part of the declarations above.

type AuditKeyOption = string | AuditKey | readonly AuditKey[];

interface PgClient {
    query(query: PgQuery): Promise<{
        rows: SqlRow[];
    }>;
    on(event: 'error' | 'end' | 'notification', listener: (what: unknown) => void): unknown;
    off(event: 'error' | 'end' | 'notification', listener: (what: unknown) => void): unknown;
}

interface PgPool {
    connect(callback: (error: Error | undefined, client: PgPoolClient | undefined) => void): void;
    end(): Promise<void>;
}

interface PgPoolClient extends PgClient {
    release(destroy?: boolean): void;
}

interface PgQuery {
    text: string;
    name?: string;
    values?: unknown[];
    types: {
        getTypeParser(): (text: string) => string;
    };
}

type SqlRow = Readonly<Record<string, unknown>>;

type WarningName = (typeof warningNames)[number];

declare const warningNames: readonly ['clock_ahead', 'listener_failed', 'display_failed', 'short_secret', 'network_file_system', 'memory_file_system', 'no_write_ahead_log', 'fsync_off', 'full_page_writes_off', 'zero_damaged_pages_on', 'ignore_checksum_failure_on', 'unlogged', 'worker_failed', 'trace_failed', 'gate_undelivered', 'gate_sweep_failed', 'gate_wake_failed', 'chat_failed'];
