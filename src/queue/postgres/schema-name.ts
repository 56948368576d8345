import { InputInvalid } from '../../protocol/errors/errors.ts'

const SCHEMA = /^[A-Za-z_][A-Za-z0-9_]{0,47}$/

/** Names of schemas stand in SQL as they are, so they are checked. */
export function checkSchemaName(name: string): void {
  if (!SCHEMA.test(name)) {
    throw new InputInvalid(
      `a schema is named with up to 48 letters, digits and underscores, not ${JSON.stringify(name)}`,
    )
  }
}
