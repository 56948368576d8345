// @ts-check
import { createRequire } from 'node:module'

/** The driver that holdpoint itself is given: resolved from the repository's root, never installed twice. @type {typeof import('pg')} */
export const pg = createRequire(new URL('../../../package.json', import.meta.url))('pg')
