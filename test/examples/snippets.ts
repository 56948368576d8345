import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.js'

/** A block of TypeScript or JavaScript in a page, exactly as a reader copies it. */
export interface Snippet {
  page: string
  /** The file that the reader saves it as: what its first line says (`// agent.ts`), else its place in the page. */
  file: string
  code: string
  /** What it prints, by its own comments: `// → completed`. */
  prints: string[]
}

/** The packages that a page's snippets import, each with the peers of the entry points of holdpoint that they use. */
export function packagesOf(snippets: readonly Snippet[]): string[] {
  const specifiers = snippets.flatMap(({ code }) => [
    ...code.matchAll(/^(?:import|export|}) .*?from '([^'.][^']*)'$/gm),
  ])
  const packages = specifiers.flatMap(([, specifier = '']) => {
    const [scope = '', name = ''] = specifier.split('/')
    return [scope.startsWith('@') ? `${scope}/${name}` : scope, ...(PEERS[specifier] ?? [])]
  })
  const all = [...packages, ...gatewayPeers(snippets.map(({ code }) => code).join('\n'))]
  return [...new Set(all)].filter((name) => !name.startsWith('node:')).sort()
}

/** A gateway needs `jose` for JSON Web Tokens, and `ws` where one with message streams is served. */
function gatewayPeers(code: string): string[] {
  const serves = /\b(?:serve|acceptWebSockets)\(/.test(code) && /\bstreams\b/.test(code)
  return [...(code.includes('jwtAuth(') ? ['jose'] : []), ...(serves ? ['ws'] : [])]
}

const PEERS: Record<string, string[]> = {
  'holdpoint/mcp': ['@modelcontextprotocol/sdk'],
  'holdpoint/postgres': ['pg'],
  'holdpoint/react': ['react'],
  'holdpoint/redis': ['ioredis'],
  'holdpoint/sqlite': ['libsql'],
}

/** The packages that a page tells its reader to install. */
export function installedBy(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(/npm install ([^`\n#]+)/g)].flatMap(([, names = '']) => names.trim().split(' '))
}

/** The blocks of a page that are code to run, in order. What only shows a shape is in a block of another kind (`text`). */
export function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(/^```(tsx|ts|js)\b[^\n]*\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', code = ''] = match
    const named = /^\/\/ ([\w.-]+\.(?:tsx?|mjs))\b/.exec(code)?.[1]
    const line = text.slice(0, match.index).split('\n').length
    const prints = [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, printed = '']) => printed.trim())
    return { page, file: named ?? `line-${line}.${language === 'js' ? 'mjs' : language}`, code, prints }
  })
}
