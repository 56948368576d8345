// @ts-check

import { progress } from '../report/progress.js'
import { startSubject } from '../subject/subject.js'
import { withPostgres } from './postgres-server.js'

/** @typedef {import('../subject/subject.js').SubjectSpec} SubjectSpec */
/** @typedef {'plain' | 'checkpoint'} WalMode */

const WARM_UP = 30

/**
 * Bytes of write-ahead log for each sample, by subject. It is counted, not timed, so other work on the machine does not matter. `plain`: without full
 * pages. `checkpoint`: with them, from a checkpoint on.
 *
 * @param {WalMode} mode @param {number} samples @param {(url: string) => SubjectSpec[]} toSpecs
 * @returns {Promise<Map<string, number>>}
 */
export function countWal(mode, samples, toSpecs) {
  // Vacuum writes to the log whenever it likes.
  const settings = ['autovacuum=off', `full_page_writes=${mode === 'plain' ? 'off' : 'on'}`, 'checkpoint_timeout=1h']
  return withPostgres(async (url) => {
    const found = new Map()
    for (const { params, ...spec } of toSpecs(url)) {
      progress(`write-ahead log (${mode}): ${spec.name}`)
      const subject = await startSubject({ ...spec, params: { ...params, url, wal: mode } })
      await subject.play(WARM_UP)
      found.set(spec.name, (await subject.play(samples)).wal)
      await subject.stop()
    }
    progress('')
    return found
  }, settings)
}
