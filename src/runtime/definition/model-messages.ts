/** Every message to the model that comes from holdpoint and not from a tool. They are kept together to stay consistent. */
export const modelMessages = {
  rejected: (tool: string): string =>
    `A person rejected this call of ${tool}. It was not run. Do not repeat it unless you are asked to.`,
  rejectedInCode: (tool: string): string => `This call of ${tool} was rejected. It was not run.`,
  changed: (tool: string): string =>
    `Not run: the definition of ${tool} was changed after this call was cleared. Look at the tool again before you call it.`,
  denied: (reason: string): string => `Not run: ${reason}`,
  unknownTool: (tool: string, known: readonly string[]): string =>
    `There is no tool "${tool}". ${known.length > 0 ? `The tools are: ${known.join(', ')}.` : 'There are no tools.'}`,
  unknownField: (field: string, tool: string): string => `${field}: ${tool} has no such field`,
  invalidArgs: (tool: string, problems: readonly string[]): string =>
    `The arguments do not fit ${tool}: ${problems.join('; ')}.`,
  failed: (message: string): string => `The tool failed: ${message}`,
  timedOut: (tool: string, seconds: number): string =>
    `${tool} did not finish within ${seconds} s. Whether it took effect is not known.`,
  argsTooLong: (bytes: number, limit: number): string => `the arguments have ${bytes} bytes, and ${limit} are allowed`,
  resultTooLong: (bytes: number, limit: number): string =>
    `The tool ran, but its result has ${bytes} bytes, and ${limit} are allowed: it was not kept.`,
  unstorable: (problem: string): string => `The tool ran, but what it returned cannot be passed on: ${problem}.`,
  unstable: (tool: string): string =>
    `Not run: what ${tool} depends on was different each time before it would have run.`,
  notChecked: (tool: string): string => `Not run: a check before ${tool} did not come to an answer.`,
  unchecked: (tool: string): string =>
    `${tool} ran, but a check after it did not come to an answer: what it returned is withheld.`,
  withheld: (tool: string): string => `${tool} ran, but a guardrail withholds what it returned.`,
  unknownOutcome: (tool: string): string => `${tool} was started, but it is not known whether it took effect.`,
  agentStopped: (agent: string, maxTurns: number): string =>
    `The ${agent} agent did not come to an end within ${maxTurns} model call(s).`,
  oneHandoff: 'Not run: the conversation can be handed over to one agent at a time, and an earlier call does that.',
  superseded: 'Not run: new input came in before this was decided.',
  expired: 'Not run: nobody answered in time.',
  /** For a body that asked something. It had started, so the message must not say "not run". */
  waitExpired: 'Not finished: it asked a person something, and nobody answered in time.',
  waitCancelled: (reason: string | undefined): string =>
    `Not finished: it asked a person something, and the question was withdrawn${reason ? ` (${reason})` : ''}.`,
  cancelled: (reason: string | undefined): string =>
    `Not run: the request was withdrawn${reason ? ` (${reason})` : ''}.`,
}
