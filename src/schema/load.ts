import { createRequire } from 'node:module'
import type { Ajv } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { RE2JS } from 're2js'
import { lazy } from '../protocol/checks/lazy.ts'

// Not import(): an agent is built synchronously, and must refuse a schema that cannot be compiled. All three can be required.
const load = lazy(() => createRequire(import.meta.url))

/** The validator, loaded on first use. */
export const loadAjv = lazy((): { draft7: typeof Ajv; draft2020: typeof Ajv2020 } => ({
  draft7: (load()('ajv') as { Ajv: typeof Ajv }).Ajv,
  draft2020: (load()('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }).Ajv2020,
}))

/** Regular expressions in linear time, loaded on first use. */
export const loadRe2 = lazy(() => (load()('re2js') as { RE2JS: typeof RE2JS }).RE2JS)

/** Node's `vm`, loaded on first use. */
export const loadVm = lazy(() => load()('node:vm') as typeof import('node:vm'))
