/**
 * The statements by which somebody changes the rows of a thread.
 * @param {import('../../src/testing/store-suite/store-case.ts').Tampering} tampering
 * @param {{ prefix: string, hex: (bytes: string) => string }} dialect
 * @returns {string[]}
 */
export function tamperingSql(tampering, { prefix, hex }) {
  const thread = `(SELECT no FROM ${prefix}threads WHERE tenant = 'default' AND id = '${tampering.threadId}')`
  /** @param {string} change @param {string} condition */
  const entries = (change, condition) =>
    `UPDATE ${prefix}entries SET ${change} WHERE thread = ${thread} AND ${condition}`
  switch (tampering.op) {
    case 'delete':
      return [`DELETE FROM ${prefix}entries WHERE thread = ${thread} AND seq = ${tampering.seq}`]
    case 'body': {
      const salt = tampering.salt ? `, salt = ${hex(Buffer.from(tampering.salt).toString('hex'))}` : ''
      return [entries(`body = '${tampering.body}'${salt}`, `seq = ${tampering.seq}`)]
    }
    case 'time':
      return [entries('at = at + 1', `seq = ${tampering.seq}`)]
    case 'swap': {
      const [a, b] = tampering.seqs
      return [
        entries(`seq = CASE seq WHEN ${a} THEN -${b} ELSE -${a} END`, `seq IN (${a}, ${b})`),
        entries('seq = -seq', 'seq < 0'),
      ]
    }
    case 'cut':
      return [
        `DELETE FROM ${prefix}entries WHERE thread = ${thread} AND seq > ${tampering.version}`,
        `UPDATE ${prefix}threads SET version = ${tampering.version}, head = (SELECT hash FROM ${prefix}entries e
          WHERE e.thread = ${prefix}threads.no AND e.seq = ${tampering.version}) WHERE no = ${thread}`,
      ]
    case 'unsign':
      return [`UPDATE ${prefix}threads SET mac = NULL, mac_key = NULL WHERE no = ${thread}`]
    case 'snapshot': {
      const change = tampering.body === null ? 'mac = NULL, mac_key = NULL' : `body = '${tampering.body}'`
      return [`UPDATE ${prefix}snapshots SET ${change} WHERE thread = ${thread}`]
    }
  }
}
