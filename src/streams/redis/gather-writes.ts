import type { Cluster, Redis } from 'ioredis'

/** A socket that can hold writes back for a while. */
interface Corkable {
  cork(): void
  uncork(): void
}

/**
 * Sends the commands of one turn of the event loop in one write. Each write is a call of the system that wakes the server up, which costs more than
 * all else about a small command. Call it before a command; the socket is let go once the callbacks of this turn have run. Nodes of a Cluster have
 * sockets of their own, which are left alone.
 */
export function gatherWrites(client: Redis | Cluster): () => void {
  let held: Corkable | undefined
  const release = (): void => {
    held?.uncork()
    held = undefined
  }
  return () => {
    // A client that is not connected yet has none.
    const stream = (client as { stream?: Corkable }).stream
    if (held || !stream) return
    held = stream
    stream.cork()
    setImmediate(release)
  }
}
