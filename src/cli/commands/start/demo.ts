import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Actor, HitlRequest, JsonObject, Store } from '../../../index.ts'
import type { ParsedArgs } from '../../../protocol/json/json.ts'
import { layoutOf } from '../../command-line/card-layout.ts'
import { answerOptions, type Call, type Command } from '../../command-line/command.ts'
import type { Context, Stop } from '../../command-line/context.ts'
import { packageFolder } from '../../command-line/package-folder.ts'
import { withChange } from '../../decide/with-change.ts'
import { callLine, requestCard } from '../../render/request.ts'
import { visible } from '../../render/visible.ts'
import { wrapVisible } from '../../render/width.ts'
import { actorOf } from '../../seat/actor.ts'
import { withNewStore } from '../../store/open-store.ts'
import { type StorePlace, shownFrom, storePlace } from '../../store/store-place.ts'

/** Runs the demo, which is no part of `dist/`: the folder `demo/` of the package. */
export const demo: Command = {
  name: 'demo',
  summary: 'watch an agent stop before a refund, and decide it',
  usage: '[--as NAME]',
  options: { as: answerOptions.as },
  positionals: { min: 0, max: 0 },
  run: async (call) => {
    const by = actorOf(call)
    const place = storePlace(call)
    const { runDemo } = await loadDemo()
    const stop = call.context.takeSignals()
    try {
      return await withNewStore(place, (store) => runDemo({ ...stageOf(call, place), store, by, stop }))
    } finally {
      stop.release()
    }
  },
}

/** What the demo is lent; `demo/stage.js` describes the same for its side. */
export interface DemoStage {
  readonly store: Store
  readonly by: Actor
  readonly stop: Stop
  readonly terminal: Pick<Context, 'interactive' | 'stdin' | 'stdout' | 'columns' | 'out' | 'style'>
  readonly print: {
    request(request: HitlRequest): string[]
    call(call: { toolName: string; args: JsonObject }): string
    text(text: string): string
    lines(text: string, columns: number): string[]
    change(args: JsonObject, change: string): ParsedArgs
  }
  readonly words: {
    readonly comeBack: string
    command(text: string): string
    readonly folder: string
    readonly storePath: string
    readonly refundsPath: string
  }
  readonly refundsFile: string
}

/** Loaded when it is needed: it is written with what `holdpoint` exports, so loading it loads the whole package. */
async function loadDemo(): Promise<{ runDemo(stage: DemoStage): Promise<number> }> {
  return await import(pathToFileURL(join(packageFolder(), 'demo/main.js')).href)
}

function stageOf({ context }: Call, place: StorePlace): Omit<DemoStage, 'store' | 'by' | 'stop'> {
  const { cwd } = context
  const { option } = place
  const refundsFile = join(place.at.kind === 'file' ? dirname(place.at.path) : join(cwd, '.holdpoint'), 'refunds.log')
  return {
    terminal: context,
    print: {
      request: (request) => requestCard(request, layoutOf(context, { full: false })),
      call: callLine,
      text: visible,
      lines: wrapVisible,
      change: withChange,
    },
    words: {
      comeBack: `npx holdpoint demo${option}`,
      command: (text) => `npx holdpoint ${text}${option}`,
      folder: cwd,
      storePath: place.shown,
      refundsPath: shownFrom(cwd, refundsFile),
    },
    refundsFile,
  }
}
