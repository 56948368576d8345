import { posix } from 'node:path'
import { parseModule } from './imports.js'

/**
 * @typedef {import('./imports.js').Node} Node
 * @typedef {(path: string) => string} Read reads a declaration file of dist/
 * @typedef {{ path: string, name: string }} Place where a name is declared
 * @typedef {{ text: string, body: Node[], comments: { start: number, end: number }[] }} Module
 * @typedef {{ entries: readonly string[], read: Read }} Package
 */

/**
 * The public surface of one entry point as text: every export with its declaration, sorted by name, without comments and
 * private members, and then the types that these declarations mention and no entry point exports.
 * @param {string} entry
 * @param {Package} given
 */
export function apiReport(entry, { entries, read }) {
  const modules = createModules(read)
  const exported = modules.exportsOf(`${entry}.d.ts`)
  const homes = homesOf(
    modules,
    [entry, 'index', 'ports', ...entries].filter((each) => entries.includes(each)),
  )
  const printed = new Map(exported.map(({ name, place, isType }) => [key(place), { name, place, isType }]))
  /** @type {Map<string, Set<string>>} */
  const imported = new Map()
  for (const { place, isType } of printed.values()) {
    for (const used of modules.declaration(place, isType).uses) {
      const home = homes.get(key(used))
      if (home !== undefined && home.entry !== entry)
        imported.set(specifierOf(home.entry), (imported.get(specifierOf(home.entry)) ?? new Set()).add(home.name))
      else if (!printed.has(key(used))) printed.set(key(used), { name: used.name, place: used, isType: true })
    }
  }
  const isOwn = new Set(exported.map(({ place }) => key(place)))
  const all = [...printed.values()].sort((a, b) => order(a.name, b.name) || order(a.place.path, b.place.path))
  const print = (/** @type {typeof all[number]} */ { place, isType }) =>
    modules.declaration(place, isType).text.join('\n')
  const own = all.filter(({ place }) => isOwn.has(key(place)))
  const others = all.filter(({ place }) => !isOwn.has(key(place)))
  return [
    `// ${specifierOf(entry)}: ${own.length} exports. Written by \`npm run api\`; do not edit.`,
    [...imported]
      .sort(([a], [b]) => order(a, b))
      .map(([from, names]) => `import type { ${[...names].sort(order).join(', ')} } from '${from}'`)
      .join('\n'),
    ...own.map((each) => `export ${print(each).replaceAll('\n%next%', '\nexport ')}`),
    others.length > 0 ? '// Not exported, and part of the declarations above.' : '',
    ...others.map((each) => print(each).replaceAll('\n%next%', '\n')),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

/** @param {string} entry */
const specifierOf = (entry) => (entry === 'index' ? 'holdpoint' : `holdpoint/${entry}`)

/** @param {Place} place */
const key = ({ path, name }) => `${path}#${name}`

/** @param {string} a @param {string} b */
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The entry point that each declaration is known by: the first of the list that exports it.
 * @param {ReturnType<typeof createModules>} modules
 * @param {readonly string[]} entries
 */
function homesOf(modules, entries) {
  /** @type {Map<string, { entry: string, name: string }>} */
  const homes = new Map()
  for (const entry of new Set(entries)) {
    for (const { name, place } of modules.exportsOf(`${entry}.d.ts`))
      if (!homes.has(key(place))) homes.set(key(place), { entry, name })
  }
  return homes
}

/** The declaration files, parsed when they are first needed. @param {Read} read */
function createModules(read) {
  /** @type {Map<string, Module>} */
  const parsed = new Map()
  const load = (/** @type {string} */ path) => {
    const known = parsed.get(path)
    if (known) return known
    const text = read(path)
    const { body, comments } = parseModule(path, text)
    const found = { text, body, comments }
    parsed.set(path, found)
    return found
  }

  /** Follows imports and re-exports to the file that declares a name. @type {(path: string, name: string) => Place | undefined} */
  const find = (path, name) => {
    const { body } = load(path)
    if (body.some((node) => namesOf(node).includes(name))) return { path, name }
    for (const node of body) {
      const specifier = (node.specifiers ?? []).find((/** @type {Node} */ each) =>
        node.type === 'ImportDeclaration' ? each.local.name === name : each.exported?.name === name,
      )
      if (!specifier) continue
      const from = node.source?.value
      if (from === undefined) return specifier.local.name === name ? undefined : find(path, specifier.local.name)
      if (!from.startsWith('.')) return undefined
      const local = specifier.imported ?? specifier.local
      return find(resolve(path, from), node.type === 'ImportDeclaration' ? local.name : specifier.local.name)
    }
    return undefined
  }

  /** Finds `Name`, or `./file.ts#Name` as `import('./file.ts').Name` mentions it. @type {(path: string, name: string) => Place | undefined} */
  const findMentioned = (path, name) => {
    const [from, imported] = name.split('#')
    if (from === undefined || imported === undefined) return find(path, name)
    return from.startsWith('.') ? find(resolve(path, from), imported) : undefined
  }

  return {
    /** What an entry point exports. @param {string} path */
    exportsOf: (path) =>
      load(path).body.flatMap((node) =>
        (node.specifiers ?? []).map((/** @type {Node} */ specifier) => {
          const name = /** @type {string} */ (specifier.exported.name)
          const place = find(resolve(path, node.source.value), specifier.local.name)
          if (!place) throw new Error(`${path} exports ${name}, which is not declared in dist/`)
          return { name, place, isType: node.exportKind === 'type' || specifier.exportKind === 'type' }
        }),
      ),
    /**
     * The statements that declare a name, as text, and the declarations of the package that they mention. A class that is
     * exported as a type alone has no constructor for its users.
     * @param {Place} place
     * @param {boolean} isType
     */
    declaration: ({ path, name }, isType) => {
      const module = load(path)
      const nodes = module.body.filter((node) => namesOf(node).includes(name))
      const text = nodes.map((node, index) => {
        const plain = textOf(module, node, hiddenIn(node, isType)).replace(/^export\s+/, '')
        return index === 0 ? plain : `%next%${plain}`
      })
      const used = new Set(nodes.flatMap((node) => mentionsIn(node, hiddenIn(node, isType))))
      used.delete(name)
      return { text, uses: [...used].sort(order).flatMap((each) => findMentioned(path, each) ?? []) }
    },
  }
}

/** @param {string} from @param {string} specifier */
const resolve = (from, specifier) =>
  `${posix.join(posix.dirname(from), specifier).replace(/(\.d)?\.(?:[cm]?[jt]s|[jt]sx)$/, '')}.d.ts`

/** The names that a statement declares. @param {Node} statement @returns {string[]} */
function namesOf(statement) {
  const node = statement.declaration ?? statement
  if (node.type === 'VariableDeclaration') return node.declarations.map((/** @type {Node} */ each) => each.id.name)
  return /Declaration$|^TSDeclareFunction$/.test(node.type) && node.id?.name ? [node.id.name] : []
}

/** Members that users cannot reach. @param {Node} statement @param {boolean} isType @returns {Node[]} */
function hiddenIn(statement, isType) {
  const node = statement.declaration ?? statement
  if (node.type !== 'ClassDeclaration') return []
  return node.body.body.filter(
    (/** @type {Node} */ member) =>
      member.key?.type === 'PrivateIdentifier' ||
      (member.accessibility === 'private' && member.kind !== 'constructor') ||
      (isType && member.kind === 'constructor'),
  )
}

/** A statement without comments and hidden members. @param {Module} module @param {Node} node @param {Node[]} hidden */
function textOf({ text, comments }, node, hidden) {
  const cuts = [...comments, ...hidden]
    .filter(({ start, end }) => start >= node.start && end <= node.end)
    .sort((a, b) => a.start - b.start)
  let at = node.start
  let out = ''
  for (const { start, end } of cuts) {
    if (start < at) continue
    out += text.slice(at, start)
    at = end
  }
  return (out + text.slice(at, node.end))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && line.trim() !== ';')
    .join('\n')
    .replace(/import\("\.[^"]*"\)\./g, '')
}

/** The names that types of a statement refer to. @param {Node} statement @param {Node[]} hidden @returns {string[]} */
function mentionsIn(statement, hidden) {
  /** @type {string[]} */
  const names = []
  const visit = (/** @type {any} */ node) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null || hidden.includes(node)) return
    const named = {
      TSTypeReference: 'typeName',
      TSTypeQuery: 'exprName',
      TSClassImplements: 'expression',
      TSInterfaceHeritage: 'expression',
    }
    const member =
      /** @type {Record<string, string>} */ (named)[node.type] ?? (node.type === 'ClassDeclaration' ? 'superClass' : '')
    const root = member && rootOf(node[member])
    if (root) names.push(root)
    if (node.type === 'TSImportType' && node.qualifier) names.push(`${node.source.value}#${rootOf(node.qualifier)}`)
    for (const value of Object.values(node)) visit(value)
  }
  visit(statement)
  return names
}

/** `A` of `A.B.C`. @param {any} node @returns {string | undefined} */
function rootOf(node) {
  if (node?.type === 'Identifier') return node.name
  return node ? rootOf(node.left ?? node.object) : undefined
}
