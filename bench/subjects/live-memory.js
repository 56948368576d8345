// @ts-check
import { loadHoldpoint } from '../lib/subject/dist.js'

const { InMemoryChannel } = await loadHoldpoint()

/** A confirm on the memory channel: asked → a listener answers → the asker goes on. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create() {
  const channel = new InMemoryChannel()
  channel.subscribe((/** @type {{ questionId: string }} */ { questionId }) => channel.answer(questionId, true))
  return { run: () => channel.confirm('Sure?') }
}
