// @ts-check

/** Does the work for each name, with so many under way until none is left to begin. @param {readonly string[]} names @param {number} lanes @param {(name: string, lane: number) => Promise<unknown>} work */
export async function inFlight(names, lanes, work) {
  const left = [...names]
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) await work(name, lane)
    }),
  )
}
