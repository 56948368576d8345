// holdpoint/redis: 2 exports. Written by `npm run api`; do not edit.

import type { Streams } from 'holdpoint'

export interface RedisStreamsOptions {
    url?: string;
    client?: Redis | Cluster;
    keyPrefix?: string;
    timeoutMs?: number;
    maxNotifications?: number;
}

export declare function redisStreams(options: RedisStreamsOptions): Streams;
