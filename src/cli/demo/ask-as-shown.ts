import type { Channel, Thread } from '../../index.ts'
import { askElsewhere } from './ask-elsewhere.ts'
import { askInTerminal } from './ask-in-terminal.ts'
import type { Demo } from './demo.ts'

/** Asks the person each question that the channel shows. If they leave one open, the thread is detached. */
export function askAsShown(
  demo: Demo,
  thread: Thread,
  channel: Channel,
): { end(): Promise<{ code: number } | undefined> } {
  const ask = demo.context.interactive ? askInTerminal : askElsewhere
  let left: { code: number } | undefined
  let asking: Promise<void> = Promise.resolve()
  const unsubscribe = channel.subscribe((request) => {
    asking = asking.then(async () => {
      if (left) return
      const asked = await ask(demo, channel, request)
      if (asked.kind === 'left') {
        left = { code: asked.code }
        await thread.detach()
      } else demo.context.out('')
    })
    // Told by `end`; the thread must not wait for a question that cannot be asked.
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
