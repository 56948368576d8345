// holdpoint/worker: 7 exports. Written by `npm run api`; do not edit.

import type { Clock } from 'holdpoint/ports'

export interface ConsumeOptions {
    routes: readonly string[];
    concurrency: number;
    handle(wakeUp: WakeUp): Promise<void>;
    onError(error: unknown): void;
}

export interface Consumer {
    stop(): Promise<void>;
}

export interface InProcessQueueOptions {
    clock?: Clock;
}

export interface Queue {
    ring(wakeUp: WakeUp, options?: RingOptions): Promise<void>;
    consume(options: ConsumeOptions): Promise<Consumer>;
    close(): Promise<void>;
}

export interface RingOptions {
    delayMs?: number;
    signal?: AbortSignal;
}

export interface WakeUp {
    tenantId: string;
    threadId: string;
    route: string;
}

export declare function inProcessQueue({ clock }?: InProcessQueueOptions): Queue;
