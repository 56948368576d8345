import { dirname, join } from 'node:path'
import { answerOptions, type Call, type Command } from '../command-line/command.ts'
import { actorOf } from '../decide/actor.ts'
import type { DemoWords } from '../demo/demo.ts'
import { refundLog } from '../demo/refund-log.ts'
import { runDemo } from '../demo/run-demo.ts'
import { withNewStore } from '../store/open-store.ts'
import { type StorePlace, shownFrom, storePlace } from '../store/store-place.ts'

/** Shows a run that stops, asks and goes on. */
export const demo: Command = {
  name: 'demo',
  summary: 'watch an agent stop before a refund, and decide it',
  usage: '[--as NAME]',
  options: { as: answerOptions.as },
  positionals: { min: 0, max: 0 },
  run: async (call) => {
    const { context } = call
    const by = actorOf(call)
    const place = storePlace(call)
    const stop = context.takeSignals()
    try {
      return await withNewStore(place, (store) => {
        const deps = { refunds: refundLog(refundsPath(context.cwd, place)) }
        return runDemo({ context, store, by, deps, stop, words: wordsOf(call, place) })
      })
    } finally {
      stop.release()
    }
  },
}

/** Beside the file of the store. */
function refundsPath(cwd: string, { at }: StorePlace): string {
  return join(at.kind === 'file' ? dirname(at.path) : join(cwd, '.holdpoint'), 'refunds.log')
}

function wordsOf({ context }: Call, place: StorePlace): DemoWords {
  const { option } = place
  const npm = option === '' ? 'npm start' : `npm start --${option}`
  return {
    comeBack: context.settings.startedByNpm ? npm : `npx holdpoint demo${option}`,
    command: (text) => `npx holdpoint ${text}${option}`,
    folder: context.cwd,
    storePath: place.shown,
    refundsPath: shownFrom(context.cwd, refundsPath(context.cwd, place)),
  }
}
