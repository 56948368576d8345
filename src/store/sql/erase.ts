import type { Dialect } from './dialect.ts'

/** When a thread was erased. `NULL`: it was not. */
export function addErasure({ prefix, integer }: Dialect): string {
  return `
ALTER TABLE ${prefix}threads ADD COLUMN erased_at ${integer};
`
}
