// @ts-check
import { join } from 'node:path'
import { threadNames } from '../lib/subject/names.js'
import { createLangChain } from '../peers/langchain.js'

/** LangChain's durable cycle, each time on a new copy of a thread with a history. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir, turns, durability = 'process' }) {
  const peer = await createLangChain(join(dir, 'langchain.db'), durability)
  await peer.build('template', turns)
  const names = threadNames()
  return {
    prepare(count) {
      const threads = names(count)
      peer.copy('template', threads)
      return threads
    },
    run: (thread) => peer.durableCycle(thread),
    close: peer.close,
  }
}
