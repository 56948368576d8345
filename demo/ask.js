import { askElsewhere } from './ask-elsewhere.js'
import { askInTerminal } from './ask-in-terminal.js'

/**
 * Asks a person about a request that a channel shows.
 * @typedef {(stage: Stage, shown: { channel: Channel, request: import('holdpoint').HitlRequest }) => Promise<Asked>} Ask
 * @typedef {import('holdpoint').Channel} Channel
 * @typedef {import('./stage.js').Asked} Asked
 * @typedef {import('./stage.js').Stage} Stage
 */

/**
 * Asks each question that the channel shows, one after the other. If the person leaves one open, the thread is detached.
 * @param {Stage} stage
 * @param {{ thread: import('holdpoint').Thread, channel: Channel }} run
 * @returns {{ end(): Promise<{ code: number } | undefined> }} `end` resolves to the exit code if the person left
 */
export function askAsShown(stage, { thread, channel }) {
  const ask = stage.terminal.interactive ? askInTerminal : askElsewhere
  /** @type {{ code: number } | undefined} */
  let left
  /** @type {Promise<void>} */
  let asking = Promise.resolve()
  const unsubscribe = channel.subscribe((request) => {
    asking = asking.then(async () => {
      if (left) return
      const asked = await ask(stage, { channel, request })
      if (asked.kind === 'left') {
        left = { code: asked.code }
        await thread.detach()
      } else stage.terminal.out('')
    })
    // `end` reports the failure. Here it only stops the thread from waiting for a question that cannot be asked.
    asking.catch(() => thread.detach()).catch(() => undefined)
  })
  return {
    async end() {
      unsubscribe()
      await asking
      return left
    },
  }
}
