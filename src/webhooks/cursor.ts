/** The kind of records that say how far a consumer has read the outbox. */
export const CURSOR = 'cursor'

/** The name of the cursor of webhooks. */
export const WEBHOOKS = 'webhooks'
