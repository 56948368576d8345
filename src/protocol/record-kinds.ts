/** The kind of records that hold idempotency keys. */
export const IDEMPOTENCY = 'idempotency'

/** The kind of records that say which thread a call from outside has. The id is the call's external key, with its ordinal if it has no id. */
export const GATE_CALL = 'gate-call'

/** The kind of records with what hosts need to continue their conversations. The id is `bookmarkId`. */
export const GATE_BOOKMARK = 'gate-bookmark'

/** The kind of records that say which thread a call has that a host runs, by the name under which the host will report its end. */
export const GATE_USE = 'gate-use'

/** The kind of records of calls that are handed over, and whose ends are expected. Their ids begin with the source, then the time. */
export const GATE_HANDED_OVER = 'gate-handed-over'
