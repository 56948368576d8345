import { parseModule, walk } from './imports.js'

/** The limits. Lines are counted with comments and blank lines, and a function with everything inside of it. */
export const LIMITS = { file: 300, function: 60, parameters: 3 }

/**
 * Something over a limit. `id` names it in the lists of sizes.json: `path`, `path#function` or `path#function(…)`.
 * @typedef {{ id: string, problem: string }} Excess
 */

/** Returns everything in a file that exceeds a limit. @param {string} path @param {string} text @returns {Excess[]} */
export function excessOf(path, text) {
  const lines = text.trimEnd().split('\n').length
  const tooLong = lines > LIMITS.file ? [{ id: path, problem: `${path} has ${lines} lines` }] : []
  return [...tooLong, ...functionsOf(path, text).flatMap((each) => excessOfFunction(path, each))]
}

/** @param {string} path @param {{ name: string, line: number, lines: number, parameters: number }} found @returns {Excess[]} */
function excessOfFunction(path, { name, line, lines, parameters }) {
  const where = `${path}:${line}: ${name}`
  return [
    ...(lines > LIMITS.function ? [{ id: `${path}#${name}`, problem: `${where} has ${lines} lines` }] : []),
    ...(parameters > LIMITS.parameters
      ? [{ id: `${path}#${name}(…)`, problem: `${where} has ${parameters} parameters` }]
      : []),
  ]
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
/** Nodes whose name is the name of the function inside. */
const HOLDERS = new Set(['VariableDeclarator', 'MethodDefinition', 'Property', 'PropertyDefinition'])

/** Returns every function that has a body, with its name. @param {string} path @param {string} text */
function functionsOf(path, text) {
  const { body } = parseModule(path, text)
  /** @type {Map<unknown, string>} */
  const names = new Map()
  /** @type {{ name: string, line: number, lines: number, parameters: number }[]} */
  const found = []
  walk(body, (node) => {
    if (HOLDERS.has(node.type)) names.set(node.value ?? node.init, nameOf(node.key ?? node.id))
    if (!FUNCTIONS.has(node.type) || !node.body) return
    const line = lineAt(text, node.start)
    found.push({
      name: node.id?.name ?? names.get(node) ?? 'anonymous',
      line,
      lines: lineAt(text, node.end) - line + 1,
      parameters: node.params.length,
    })
  })
  return found
}

/** @param {import('./imports.js').Node | undefined} key */
const nameOf = (key) => key?.name ?? 'anonymous'

/** @param {string} text @param {number} offset */
const lineAt = (text, offset) => text.slice(0, offset).split('\n').length
