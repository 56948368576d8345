import { parseSync } from 'vite'

/**
 * One import of a module. `type`: erased by the compiler. `static`: loaded with the importing file. `lazy`: loaded when
 * the code gets there, by import() or require().
 * @typedef {{ specifier: string, kind: 'type' | 'static' | 'lazy', line: number }} Import
 * @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node
 * @typedef {{ body: Node[], comments: { type: string, value: string, start: number, end: number }[], imports: Import[] }} Parsed
 */

/**
 * Reads a TypeScript file with vite's parser: TypeScript 7 has no programming interface.
 * @param {string} path for messages
 * @param {string} text
 * @returns {Parsed}
 */
export function parseModule(path, text) {
  const { program, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} could not be parsed: ${errors[0]?.message}`)
  /** @type {Import[]} */
  const imports = []
  walk(/** @type {any} */ (program), (node) => {
    const found = importOf(node)
    if (found) imports.push({ ...found, line: text.slice(0, node.start).split('\n').length })
  })
  return { body: /** @type {Node[]} */ (/** @type {unknown} */ (program.body)), comments, imports }
}

/**
 * `import { type A } from` is not erased: under verbatimModuleSyntax the module is still loaded. Only `import type` is.
 * @param {Node} node
 * @returns {{ specifier: string, kind: Import['kind'] } | undefined}
 */
function importOf(node) {
  switch (node.type) {
    case 'ImportDeclaration':
      return { specifier: node.source.value, kind: node.importKind === 'type' ? 'type' : 'static' }
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      return node.source
        ? { specifier: node.source.value, kind: node.exportKind === 'type' ? 'type' : 'static' }
        : undefined
    case 'TSImportType':
      return { specifier: node.source.value, kind: 'type' }
    case 'ImportExpression':
      return { specifier: literal(node.source), kind: 'lazy' }
    case 'CallExpression':
      return isRequire(node.callee) ? { specifier: literal(node.arguments[0]), kind: 'lazy' } : undefined
    default:
      return undefined
  }
}

/**
 * Whether a call is `require(…)`, under the usual names of createRequire's result, or `createRequire(import.meta.url)(…)`.
 * @param {Node} callee
 */
function isRequire(callee) {
  if (callee.type === 'CallExpression') return callee.callee.name === 'createRequire'
  return callee.type === 'Identifier' && /^_?require_?$/.test(callee.name)
}

/**
 * A computed specifier cannot be checked. It is reported as `<computed>`, which only `lazy` rules can allow.
 * @param {Node | undefined} node
 */
function literal(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked
  return '<computed>'
}

/**
 * @param {unknown} node
 * @param {(node: Node) => void} visit
 */
export function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit)
  } else if (typeof node === 'object' && node !== null) {
    if ('type' in node && typeof node.type === 'string') visit(/** @type {Node} */ (node))
    for (const value of Object.values(node)) walk(value, visit)
  }
}
