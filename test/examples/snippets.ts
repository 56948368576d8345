import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.js'

/** A piece of TypeScript in a page. */
export interface Snippet {
  /** Page and line, as a name for a file. */
  name: string
  code: string
}

/** The TypeScript blocks of a page. */
export function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(/^```ts\b[^\n]*\n([\s\S]*?)^```$/gm)].map((match) => ({
    name: `${page.replace(/\.md$/, '').replaceAll('/', '-')}-line-${text.slice(0, match.index).split('\n').length}`,
    code: match[1] ?? '',
  }))
}

/** What the package exports, by the specifier under which it does. */
const exported: Record<string, string[]> = {
  holdpoint: namesOf('index'),
  'holdpoint/ai-sdk': namesOf('ai-sdk'),
  'holdpoint/mcp': namesOf('mcp'),
  'holdpoint/ports': namesOf('ports').filter((name) => !namesOf('index').includes(name)),
  'holdpoint/sqlite': namesOf('sqlite'),
  'holdpoint/testing': namesOf('testing'),
  zod: ['z'],
}

function namesOf(entry: string): string[] {
  const text = readFileSync(join(ROOT, 'src', `${entry}.ts`), 'utf8')
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap((match) =>
    (match[1] ?? '').split(',').flatMap((name) => name.replace(/\btype\b/, '').trim() || []),
  )
}

/**
 * A snippet as a module. One that imports from a module says all that it needs of it; where it does not import at all, what it uses is added,
 * so that pages need not begin every block with the same lines.
 */
export function toModule({ code }: Snippet): string {
  const imports = Object.entries(exported).flatMap(([specifier, names]) => {
    if (code.includes(`from '${specifier}'`)) return []
    const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(code) && !declares(code, name))
    return used.length === 0 ? [] : [`import { ${used.join(', ')} } from '${specifier}'`]
  })
  return `${imports.join('\n')}\n${code}\nexport {}\n`
}

function declares(code: string, name: string): boolean {
  return new RegExp(`\\b(?:const|let|function|class|interface|type) ${name}\\b`).test(code)
}
