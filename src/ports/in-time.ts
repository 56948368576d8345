/**
 * Waits for work, at most `ms`: then it rejects with the error that `late` makes. A process that was busy or frozen reads first what has arrived in the
 * meantime: its timers fire before its sockets are read.
 */
export function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let unread: NodeJS.Immediate | undefined
    const timer = setTimeout(() => {
      unread = setImmediate(() => reject(late()))
    }, ms)
    const clear = (): void => {
      clearTimeout(timer)
      clearImmediate(unread)
    }
    work.then(
      (value) => {
        clear()
        resolve(value)
      },
      (error: unknown) => {
        clear()
        reject(error)
      },
    )
  })
}
