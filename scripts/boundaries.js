import { pathToFileURL } from 'node:url'
import { ENTRIES, INDEX_LOADS, LAYOUT } from './layout.js'
import { findCycles } from './lib/cycles.js'
import { allowsOutside, checkEdge } from './lib/import-rules.js'
import { folderOf, graphOf, isTest, readTree } from './lib/tree.js'

/** @typedef {import('./lib/tree.js').Edge} Edge */
/** @typedef {import('./lib/tree.js').Tree} Tree */

/** Everything that is wrong with a tree, one line each. @param {Tree} tree @returns {string[]} */
export function checkTree(tree) {
  // Tests may reach for anything; what they may not do is be reached.
  const edges = tree.edges.filter((edge) => !isTest(edge.from))
  return [
    ...checkLayout(tree),
    ...edges.flatMap((edge) => checkEdge(tree, edge)),
    ...checkCycles(edges),
    ...checkIndex(edges),
  ]
}

/** @param {Tree} tree */
function checkLayout({ files }) {
  return [...files].flatMap(([path, { body }]) => {
    const folder = folderOf(path)
    if (folder !== '') return folder in LAYOUT ? [] : [`${path}: the folder '${folder}' is not in scripts/layout.js`]
    if (isTest(path)) return [`${path}: tests of entry points belong in test/`]
    if (!(path.replace(/\.ts$/, '') in ENTRIES)) return [`${path}: not an entry point in scripts/layout.js`]
    return body.flatMap((node) => {
      if (node.type === 'ExportAllDeclaration') return [`${path}: name what is exported instead of 'export *'`]
      return node.type === 'ExportNamedDeclaration' && node.source
        ? []
        : [`${path}: an entry point only re-exports (found ${node.type})`]
    })
  })
}

/** @param {Edge[]} edges */
function checkCycles(edges) {
  // Type imports count: files that need one another's types are read together, or not at all.
  const files = graphOf(edges, (path) => path)
  const folders = graphOf(
    edges.filter((edge) => folderOf(edge.from) !== ''),
    folderOf,
  )
  return [
    ...findCycles(files).map((cycle) => `import cycle: ${[...cycle, cycle[0]].join(' → ')}`),
    ...findCycles(folders).map((cycle) => `folder cycle: ${[...cycle, cycle[0]].join(' → ')}`),
  ]
}

/** What loading src/index.ts pulls in. @param {Edge[]} edges */
function checkIndex(edges) {
  const seen = new Set(['index.ts'])
  const problems = []
  for (const path of seen) {
    for (const edge of edges.filter((each) => each.from === path && each.kind === 'static')) {
      if (edge.to !== undefined) seen.add(edge.to)
      else if (!allowsOutside(INDEX_LOADS, edge))
        problems.push(`${path}:${edge.line}: loading 'holdpoint' would load '${edge.specifier}'`)
    }
  }
  return problems
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const tree = readTree()
  const problems = checkTree(tree)
  for (const problem of problems) console.error(problem)
  console.log(`${tree.files.size} files, ${tree.edges.length} imports, ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
