/** The kind of records that hold idempotency keys. */
export const IDEMPOTENCY = 'idempotency'
