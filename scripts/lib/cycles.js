/**
 * Finds cycles of a graph: for a node on a cycle, a shortest path back to itself. Nodes of a reported cycle are not reported again.
 * @param {Map<string, Iterable<string>>} graph
 * @returns {string[][]}
 */
export function findCycles(graph) {
  /** @type {string[][]} */
  const cycles = []
  const told = new Set()
  for (const start of [...graph.keys()].sort()) {
    if (told.has(start)) continue
    const cycle = wayBack(graph, start)
    if (!cycle) continue
    for (const node of cycle) told.add(node)
    cycles.push(cycle)
  }
  return cycles
}

/**
 * @param {Map<string, Iterable<string>>} graph
 * @param {string} start
 */
function wayBack(graph, start) {
  /** @type {Map<string, string>} */
  const cameFrom = new Map()
  const queue = [start]
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) return path(cameFrom, start, node)
      if (cameFrom.has(next)) continue
      cameFrom.set(next, node)
      queue.push(next)
    }
  }
  return undefined
}

/**
 * @param {Map<string, string>} cameFrom
 * @param {string} start
 * @param {string} last
 */
function path(cameFrom, start, last) {
  const nodes = [last]
  for (let node = last; node !== start; ) {
    node = /** @type {string} */ (cameFrom.get(node))
    nodes.unshift(node)
  }
  return nodes
}
