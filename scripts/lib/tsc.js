import { join } from 'node:path'
import { ROOT } from './root.js'

/**
 * The compiler, as arguments for Node. It runs on one thread: with more, each of them checks the types that they share, which takes twice the
 * processor time and no less of the clock on two cores.
 */
export const TSC = [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '--singleThreaded']
