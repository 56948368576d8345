// holdpoint/sqlite: 5 exports. Written by `npm run api`; do not edit.

import type { AuditKey, Store } from 'holdpoint'
import type { Clock, StoreLimits } from 'holdpoint/ports'
import type { CrashPoint } from 'holdpoint/testing'

export type OnWarning = (warning: StoreWarning) => void;

export interface SqliteStoreOptions {
    path: string;
    durability?: 'power' | 'process';
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
    readonly code: string;
    readonly message: string;
}

export type Verify = 'chain' | 'envelope';

export declare function sqliteStore(options: SqliteStoreOptions): Store;

// Not exported, and part of the declarations above.

type AuditKeyOption = string | AuditKey | readonly AuditKey[];

type DriverName = 'node:sqlite' | 'libsql';
