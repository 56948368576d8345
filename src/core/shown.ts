import type { Display } from '../protocol/display.ts'
import { canonicalJson, sha256 } from '../protocol/json/canonical.ts'
import type { JsonObject } from '../protocol/json/json.ts'

/** What a request shows of its call. */
export interface Shown {
  readonly display: Display
  readonly shown: string
}

/** A display with the digest that covers it and the call. Neither is part of the call's own digest: rewording a headline voids nothing. */
export function toShown(display: Display, digest: string): Shown {
  return { display, shown: sha256(canonicalJson({ v: 1, display, digest } as unknown as JsonObject)) }
}
