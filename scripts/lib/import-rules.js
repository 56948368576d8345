import { isBuiltin } from 'node:module'
import { ENTRIES, LAYOUT } from '../layout.js'
import { folderOf, isTest } from './tree.js'

/** @typedef {import('./tree.js').Edge} Edge */
/** @typedef {import('./tree.js').Tree} Tree */

/** What the table says against one import. @param {Tree} tree @param {Edge} edge @returns {string[]} */
export function checkEdge({ files }, edge) {
  const folder = folderOf(edge.from)
  const rule = folder === '' ? { folders: ENTRIES[edge.from.replace(/\.ts$/, '')] ?? [] } : LAYOUT[folder]
  if (!rule) return []
  const where = `${edge.from}:${edge.line}`
  if (edge.to === undefined)
    return allowsOutside(rule, edge)
      ? []
      : [`${where}: ${name(folder)} may not import '${edge.specifier}'${late(rule, edge)}`]
  if (isTest(edge.to)) return [`${where}: imports the test ${edge.to}`]
  if (!files.has(edge.to)) return [`${where}: '${edge.specifier}' is not a file of src/`]
  const isEntry = folderOf(edge.to) === ''
  const target = isEntry ? edge.to : folderOf(edge.to)
  if (target === folder) return []
  if (allows(rule.folders, target) || (edge.kind === 'type' && allows(rule.types, target))) return []
  return [
    `${where}: ${name(folder)} may not import ${isEntry ? 'the entry point ' : ''}${target} (${edge.specifier})${allows(rule.types, target) ? ', only its types' : ''}`,
  ]
}

/** @param {string} folder */
const name = (folder) => (folder === '' ? 'this entry point' : folder)

/** @param {string[] | undefined} list @param {string} wanted */
const allows = (list, wanted) => list !== undefined && (list.includes(wanted) || list.includes('*'))

/** Whether a rule lets a package or a module of Node in. @param {import('../layout.js').Rule} rule @param {Edge} edge */
export function allowsOutside(rule, { specifier, kind }) {
  if (allows(rule.lazy, outsideName(specifier))) return kind !== 'static'
  if (!isBuiltin(specifier)) return allows(rule.packages, outsideName(specifier))
  return allows(rule.node, builtinName(specifier))
}

/** @param {import('../layout.js').Rule} rule @param {Edge} edge */
const late = (rule, edge) =>
  allows(rule.lazy, outsideName(edge.specifier)) ? ' before it is needed: use import()' : ''

/** 'timers' for 'node:timers/promises'. @param {string} specifier */
const builtinName = (specifier) => /** @type {string} */ (specifier.replace(/^node:/, '').split('/')[0])

/** The package of a specifier; Node's modules keep their name. @param {string} specifier */
const outsideName = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
