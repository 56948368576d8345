import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** One file of the page, ready to be sent. */
export interface Asset {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Absent if it is not shorter. */
  readonly gzipped?: Uint8Array<ArrayBuffer>
  readonly etag: string
  /** Its name has a hash of its content in it. */
  readonly immutable: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
/** Vite's names: `assets/index-B3xY_k2a.js`. */
const HASHED = /^assets\/.+-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/

/** Where the build puts the page: `dist/inbox` of the package that this file is in, however the build names files. `undefined`: it was not built. */
function folderOfPage(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const page = join(folder, 'dist', 'inbox')
    if (statSync(join(page, 'index.html'), { throwIfNoEntry: false })?.isFile()) return page
    if (existsSync(join(folder, 'package.json')) || dirname(folder) === folder) return undefined
    folder = dirname(folder)
  }
}

/**
 * Reads the page into memory: names from a request are only ever looked up in the result, so none can lead out of the folder. `undefined`: the page was
 * not built.
 */
export function loadAssets(folder = folderOfPage()): ReadonlyMap<string, Asset> | undefined {
  if (folder === undefined) return undefined
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return new Map(
    files.flatMap((file) => {
      const path = join(file.parentPath, file.name)
      const name = relative(folder, path).split(sep).join('/')
      const type = TYPES[extname(name)]
      // Source maps and other files are not served.
      return type === undefined ? [] : [[name, toAsset(name, type, readFileSync(path))] as const]
    }),
  )
}

function toAsset(name: string, type: string, content: Buffer): Asset {
  const gzipped = /^(text|application|image\/svg)/.test(type) ? gzipSync(content, { level: 9 }) : undefined
  return {
    type,
    bytes: new Uint8Array(content),
    ...(gzipped && gzipped.length < content.length ? { gzipped: new Uint8Array(gzipped) } : {}),
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    immutable: HASHED.test(name),
  }
}
