import type { HeadMac } from '../protocol/chain/audit-key.ts'

/** One stored entry. */
export interface StoredEntry {
  seq: number
  at: number
  body: string
}

/** One stored entry with its hashes. */
export interface ChainedEntry extends StoredEntry {
  salt: Uint8Array
  hash: Uint8Array
}

/**
 * The head of a thread: its version, the hash of its last entry, and the signature of both if the store has an
 * `auditKey`.
 */
export interface ThreadHead {
  version: number
  hash: Uint8Array
  mac: HeadMac | null
  /** The thread was erased. */
  erased?: true
}
