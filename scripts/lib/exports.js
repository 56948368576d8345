import { posix } from 'node:path'

/**
 * @typedef {import('./tree.js').Tree} Tree
 * @typedef {import('./imports.js').Node} Node
 * @typedef {import('./imports.js').Parsed} Parsed
 */

/**
 * Returns the names that an entry point exports, where each is declared, and whether a doc comment precedes the declaration.
 * A name that is both a value and a type counts as documented if one of the two is.
 * @param {Tree} tree
 * @param {string} entry
 * @param {(path: string) => string} textOf
 */
export function exportsOf(tree, entry, textOf) {
  const parsed = /** @type {Parsed} */ (tree.files.get(entry))
  return parsed.body.flatMap((node) =>
    (node.specifiers ?? []).map((/** @type {Node} */ specifier) => {
      const found = declarationsOf(tree, resolve(entry, node.source?.value), specifier.local.name)
      return {
        name: /** @type {string} */ (specifier.exported.name),
        file: found[0]?.path ?? '',
        documented: found.some(({ path, start }) =>
          isDocumented(tree.files.get(path)?.comments ?? [], textOf(path), start),
        ),
      }
    }),
  )
}

/**
 * @param {string} from
 * @param {string | undefined} specifier
 */
const resolve = (from, specifier = '') => posix.join(posix.dirname(from), specifier)

/**
 * Follows re-exports to the statements that declare a name.
 * @param {Tree} tree
 * @param {string} path
 * @param {string} name
 * @returns {{ path: string, start: number }[]}
 */
function declarationsOf(tree, path, name) {
  return (tree.files.get(path)?.body ?? []).flatMap((node) => {
    if (declares(node.declaration ?? node, name)) return [{ path, start: node.start }]
    const passed = (node.type === 'ExportNamedDeclaration' && node.source ? node.specifiers : []).find(
      (/** @type {Node} */ each) => each.exported.name === name,
    )
    return passed ? declarationsOf(tree, resolve(path, node.source.value), passed.local.name) : []
  })
}

/**
 * @param {Node} node
 * @param {string} name
 */
function declares(node, name) {
  if (node.type === 'VariableDeclaration')
    return node.declarations.some((/** @type {Node} */ each) => each.id.name === name)
  return /Declaration$|^TSDeclareFunction$/.test(node.type) && node.id?.name === name
}

/**
 * @param {Parsed['comments']} comments
 * @param {string} text
 * @param {number} start where the declaration begins
 */
function isDocumented(comments, text, start) {
  const above = comments.filter((comment) => comment.end <= start && onlySpace(text.slice(comment.end, start)))
  return above.some((comment) => comment.type === 'Block' && comment.value.startsWith('*'))
}

/**
 * Line comments, such as a linter's, may stand between a doc comment and its declaration.
 * @param {string} text
 */
const onlySpace = (text) => text.replace(/\/\/.*$/gm, '').trim() === ''
