import { isDuration } from '../../../protocol/checks/durations.ts'
import { requireKnown } from '../../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../../protocol/errors/errors.ts'

/** How long and how a held call waits. */
export interface WaitLadder {
  /** How long a held call waits before its client is told to call again. Default 45: most clients give up after 60. */
  holdSeconds?: number
  /** How often a waiting client that asked for progress gets some. Default 10. */
  progressSeconds?: number
  /**
   * Asks the client's user too, where the client can. This is no proof of a person: the agent's own program answers. So it is used only for calls whose
   * policy sets the risk `'low'` or `'medium'` and names no reviewers. Default `false`.
   */
  elicitation?: boolean
  /** The address of the inbox, for messages to the client. */
  inboxUrl?: string
}

/** The ladder with its defaults. */
export type Wait = Required<Omit<WaitLadder, 'inboxUrl'>> & Pick<WaitLadder, 'inboxUrl'>

const WHAT = 'createMcpProxy()'
const KNOWN: readonly (keyof WaitLadder)[] = ['holdSeconds', 'progressSeconds', 'elicitation', 'inboxUrl']

/** Checks the option `wait`. Throws `InputInvalid`. */
export function checkWait(wait: WaitLadder): Wait {
  requireKnown(`wait of ${WHAT}`, wait, KNOWN)
  const { holdSeconds = 45, progressSeconds = 10, elicitation = false, inboxUrl } = wait
  for (const [name, value] of Object.entries({ holdSeconds, progressSeconds }))
    if (!isDuration(value) || value === 0)
      throw new InputInvalid(`${name} of ${WHAT} must be a positive number of seconds.`)
  if (typeof elicitation !== 'boolean') throw new InputInvalid(`elicitation of ${WHAT} must be a boolean.`)
  if (inboxUrl !== undefined && !URL.canParse(inboxUrl)) throw new InputInvalid(`inboxUrl of ${WHAT} must be a URL.`)
  return { holdSeconds, progressSeconds, elicitation, ...(inboxUrl === undefined ? {} : { inboxUrl }) }
}
