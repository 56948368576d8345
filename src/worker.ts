export type { ConsumeOptions, Consumer, Queue, RingOptions, WakeUp } from './ports/queue.ts'
export { type InProcessQueueOptions, inProcessQueue } from './queue/in-process/queue.ts'
