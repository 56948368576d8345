export { type RedisStreamsOptions, redisStreams } from './streams/redis/streams.ts'
