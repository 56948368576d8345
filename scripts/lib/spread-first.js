import { parseAst } from 'vite'

/** @typedef {{ start: number, end: number, type: string, [key: string]: any }} Node */

/**
 * A plugin of the bundler that writes `{ ...a, b, c }` as `Object.assign({}, a, { b, c })`. They mean the same, but in V8 before 12, which Node 20 has,
 * each property that is added behind a spread at the beginning takes about half a microsecond and copies what is there: 6.6 µs for eight of them, and
 * 0.2 µs as written here. That was half of the processor time of an approve cycle. Later releases of Node take both for the same.
 * Remove it with the support of Node 20.
 */
export function spreadFirst() {
  return {
    name: 'spread-first',
    /** @param {string} code */
    renderChunk: (code) => ({ code: rewriteSpreads(code), map: null }),
  }
}

/** Rewrites the object literals of a module that begin with a spread and have more behind it. @param {string} code */
export function rewriteSpreads(code) {
  /** @type {{ at: number, to: number, text: string }[]} */
  const edits = []
  visit(parseAst(code), (node) => {
    if (isSlow(node)) edits.push(...editsOf(node))
  })
  edits.sort((a, b) => a.at - b.at || a.to - b.to)
  let written = ''
  let from = 0
  for (const { at, to, text } of edits) {
    written += code.slice(from, at) + text
    from = to
  }
  return written + code.slice(from)
}

/** Accessors and `__proto__` mean something else as arguments of `Object.assign`. @param {Node} node */
function isSlow({ type, properties }) {
  if (type !== 'ObjectExpression' || properties.length < 2 || properties[0].type !== 'SpreadElement') return false
  return properties.every(
    (/** @type {Node} */ item) =>
      item.type === 'SpreadElement' || (item.kind === 'init' && nameOf(item) !== '__proto__'),
  )
}

/** @param {Node} property */
function nameOf({ computed, key }) {
  return computed ? undefined : (key.name ?? key.value)
}

/** @param {Node} node */
function editsOf({ start, end, properties }) {
  const edits = [{ at: start, to: start + 1, text: 'Object.assign({},' }]
  properties.forEach((/** @type {Node} */ item, /** @type {number} */ index) => {
    const [before, after] = [properties[index - 1], properties[index + 1]]
    if (item.type === 'SpreadElement') {
      edits.push({ at: item.start, to: item.start + '...'.length, text: '' })
      return
    }
    if (before.type === 'SpreadElement') edits.push({ at: item.start, to: item.start, text: '{ ' })
    if (after?.type === 'SpreadElement') edits.push({ at: item.end, to: item.end, text: ' }' })
  })
  const isOpen = properties.at(-1).type !== 'SpreadElement'
  edits.push({ at: end - 1, to: end, text: isOpen ? '})' : ')' })
  return edits
}

/** @param {unknown} value @param {(node: Node) => void} see */
function visit(value, see) {
  if (Array.isArray(value)) for (const item of value) visit(item, see)
  else if (typeof value === 'object' && value !== null) {
    const node = /** @type {Node} */ (value)
    if (typeof node.type === 'string') see(node)
    for (const item of Object.values(node)) visit(item, see)
  }
}
