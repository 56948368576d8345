// holdpoint/worker: 14 exports. Written by `npm run api`; do not edit.

import type { Clock } from 'holdpoint/ports'

export interface BullmqQueueOptions extends EngineTimes {
    connection: RedisConnection;
    prefix?: string;
}

export interface ConsumeOptions {
    routes: readonly string[];
    concurrency: number;
    handle(wakeUp: WakeUp): Promise<void>;
    onError(error: unknown): void;
}

export interface Consumer {
    stop(): Promise<void>;
}

export interface EngineTimes {
    timeoutMs?: number;
    lostAfterMs?: number;
}

export interface InProcessQueueOptions {
    clock?: Clock;
}

export interface PostgresQueue extends Queue {
    prepare(): Promise<void>;
}

export interface PostgresQueueOptions extends EngineTimes {
    connectionString: string;
    listenConnectionString?: string;
    schema?: string;
    storeSchema?: string;
}

export interface Queue {
    ring(wakeUp: WakeUp, options?: RingOptions): Promise<void>;
    consume(options: ConsumeOptions): Promise<Consumer>;
    close(): Promise<void>;
}

export type RedisConnection = string | PlainOptions | Redis | Cluster;

export interface RingOptions {
    delayMs?: number;
    signal?: AbortSignal;
}

export interface WakeUp {
    tenantId: string;
    threadId: string;
    route: string;
}

export declare function bullmqQueue(options: BullmqQueueOptions): Queue;

export declare function inProcessQueue({ clock }?: InProcessQueueOptions): Queue;

export declare function postgresQueue(options: PostgresQueueOptions): PostgresQueue;

// Not exported, and part of the declarations above.

type PlainOptions = Omit<RedisOptions, 'replyMapping'>;
