/** How many statements are under way before further jobs wait. Two, so that the next batch is made while the server works on the last. */
const STREAMS = 2

/** How long a statement counts as under way. One that takes longer waits for a lock or for a slow server. */
const SLOW_MS = 50

/** What is sent together. */
export interface GatheringOptions<Job> {
  /** How many of the first jobs of a queue make a batch: at least one. */
  fitting(queue: readonly Job[]): number
  /** Sends a batch. Never rejects. */
  send(batch: readonly Job[]): Promise<void>
}

/**
 * Gathers jobs while others are under way. Nothing waits for company: a job is sent at once unless {@link STREAMS} batches are under way. Returns the
 * function that takes a job.
 */
export function createGathering<Job>({ fitting, send }: GatheringOptions<Job>): (job: Job) => void {
  let queue: Job[] = []
  let underWay = 0

  function flush(): void {
    if (queue.length === 0 || underWay >= STREAMS) return
    const batch = queue.slice(0, fitting(queue))
    queue = queue.slice(batch.length)
    underWay++
    let counts = true
    const leave = () => {
      if (!counts) return
      counts = false
      underWay--
      flush()
    }
    const slow = setTimeout(leave, SLOW_MS)
    void send(batch).finally(() => {
      clearTimeout(slow)
      leave()
    })
  }

  return (job) => {
    queue.push(job)
    flush()
  }
}
