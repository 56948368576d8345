// A tool that asks a person in the middle of its work. The process that asked is gone when the answer comes.
import { Agent, CheckpointedChannel, type Model, type Store, type Thread, tool } from 'holdpoint'
import { sqliteStore } from 'holdpoint/sqlite'
import { z } from 'zod'

const threadId = 'release-7'
const path = '.holdpoint/resumable-tool.db'

const model: Model = {
  async respond({ messages }) {
    const last = messages.at(-1)
    if (last?.role === 'tool') return { content: `Release: ${last.content}` }
    return { toolCalls: [{ name: 'release', args: { version: '7.0.0' } }] }
  },
}

const release = tool({
  name: 'release',
  description: 'Builds a version and publishes it.',
  parameters: z.object({ version: z.string() }),
  // After a restart the body is entered again from the top. Effects are inside steps, which are not repeated.
  resumable: true,
  async execute({ version }, ctx) {
    console.log('  the body is entered')
    const build = await ctx.step('build', async () => {
      console.log('  building')
      return { file: `app-${version}.tgz` }
    })
    const yes = await ctx.confirm(`Publish ${build.file}?`, { details: { version } })
    if (!yes) return 'built, and not published'
    return ctx.step('publish', async () => {
      console.log('  publishing')
      return `${build.file} is published`
    })
  },
})

const agent = new Agent({ name: 'releaser', model, tools: [release] })

function open(store: Store): Thread {
  return agent.thread(threadId, { store, channel: new CheckpointedChannel({ store, threadId }) })
}

// The first process: leaves as soon as the question is stored.
const first = sqliteStore({ path })
const asking = open(first)
asking.channel?.subscribe(() => asking.detach())
const left = await asking.prompt('Release 7.0.0.')
console.log(`first process: ${left.status}`)
await first.close()

// The second process: nothing but the file is shared with the first.
const second = sqliteStore({ path })
const answering = open(second)
const question = await answering.loadPendingHitlRequest()
console.log(`second process: ${question?.prompt}`)
const done = await answering.respond({ answer: true, by: 'ann' })
console.log(`second process: ${done.status}, ${done.status === 'completed' ? done.finalOutput : ''}`)
await second.close()
