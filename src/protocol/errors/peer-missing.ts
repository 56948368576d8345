import { HoldpointError } from './error-base.ts'

/** An optional package that is needed here is not installed. The message says which. */
export class PeerMissing extends HoldpointError {
  constructor(message: string, cause?: unknown) {
    super('peer_missing', message, { cause })
  }
}

const NOT_FOUND: readonly unknown[] = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']

/** What to throw after loading `packages` failed: `PeerMissing` if one was not found, else the error itself. */
export function peerFailure(who: string, packages: string, error: unknown): unknown {
  if (!NOT_FOUND.includes((error as { code?: unknown } | undefined)?.code)) return error
  return new PeerMissing(`${who} needs ${packages.replaceAll(' ', ' and ')}: run 'npm install ${packages}'.`, error)
}
