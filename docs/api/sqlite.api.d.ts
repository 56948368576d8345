// holdpoint/sqlite: 5 exports. Written by `npm run api`; do not edit.

import type { AuditKey, Store } from 'holdpoint'
import type { Clock, StoreLimits } from 'holdpoint/ports'
import type { CrashPoint } from 'holdpoint/testing'

export type OnWarning = (warning: StoreWarning) => void;

export interface SqliteStoreOptions {
    path: string;
    durability?: 'power' | 'process';
    thread?: boolean;
    clock?: Clock;
    driver?: DriverName;
    busyTimeoutMs?: number;
    auditKey?: AuditKeyOption;
    verify?: Verify;
    limits?: StoreLimits;
    onWarning?: OnWarning;
    crashPoint?: CrashPoint;
}

export interface StoreWarning {
    readonly code: WarningName;
    readonly message: string;
}

export type Verify = 'chain' | 'envelope';

export declare function sqliteStore(options: SqliteStoreOptions): Store;

// Not exported, and part of the declarations above.

type AuditKeyOption = string | AuditKey | readonly AuditKey[];

type DriverName = 'node:sqlite' | 'libsql' | 'better-sqlite3';

type WarningName = (typeof warningNames)[number];

declare const warningNames: readonly ['clock_ahead', 'listener_failed', 'display_failed', 'short_secret', 'network_file_system', 'memory_file_system', 'no_write_ahead_log', 'fsync_off', 'full_page_writes_off', 'zero_damaged_pages_on', 'ignore_checksum_failure_on', 'unlogged', 'worker_failed', 'trace_failed', 'gate_undelivered', 'gate_sweep_failed', 'gate_wake_failed', 'chat_failed'];
