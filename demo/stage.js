/**
 * What the command line lends the demo.
 * @typedef {object} Stage
 * @property {import('holdpoint').Store} store
 * @property {import('holdpoint').Actor} by who decides at this keyboard
 * @property {Stop} stop
 * @property {Terminal} terminal
 * @property {Printer} print
 * @property {Words} words
 * @property {string} refundsFile the full path of the file that counts refunds
 */

/**
 * The request to end: Ctrl-C, a signal, or a closed terminal.
 * @typedef {object} Stop
 * @property {AbortSignal} signal
 * @property {number} code the exit code that tells which signal it was
 */

/**
 * @typedef {object} Terminal
 * @property {boolean} interactive whether a person can be asked here
 * @property {NodeJS.ReadStream} stdin
 * @property {NodeJS.WriteStream} stdout
 * @property {() => number} columns
 * @property {(...lines: string[]) => void} out prints lines
 * @property {Record<'bold' | 'dim' | 'good' | 'bad' | 'accent', (text: string) => string>} style
 */

/**
 * How the command line prints. What comes from outside (a model, a customer) is never printed without it.
 * @typedef {object} Printer
 * @property {(request: import('holdpoint').HitlRequest) => string[]} request a request with all its facts
 * @property {(call: { toolName: string, args: import('holdpoint').JsonObject }) => string} call a call on one line
 * @property {(text: string) => string} text a string on one line with nothing hidden in it
 * @property {(text: string, columns: number) => string[]} lines the same on as many lines as it takes
 * @property {(args: import('holdpoint').JsonObject, change: string) => Changed} change reads `field=value`
 */

/** @typedef {{ ok: true, args: import('holdpoint').JsonObject } | { ok: false, problem: string }} Changed */

/**
 * What people are told to type, and where.
 * @typedef {object} Words
 * @property {string} comeBack
 * @property {(text: string) => string} command a holdpoint command for another shell
 * @property {string} folder
 * @property {string} storePath
 * @property {string} refundsPath
 */

/**
 * What came of asking: the run can go on, since a decision was stored (here or elsewhere), or the person left the question open.
 * @typedef {{ kind: 'go-on' } | { kind: 'left', code: number }} Asked
 */

export {}
