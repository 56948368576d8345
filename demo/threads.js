/** @typedef {import('holdpoint').Store} Store */

/** The number of entries of a thread; reads none of them. @param {Store} store @param {string} threadId */
export async function versionOf(store, threadId) {
  return (await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })).version
}

/** The number of the newest demo in a store, 0 if there is none. @param {Store} store */
export async function lastDemo(store) {
  let last = 0
  while ((await versionOf(store, demoThread(last + 1))) > 0) last += 1
  return last
}

/** Threads are called demo/1, demo/2 and so on. @param {number} number */
export function demoThread(number) {
  return `demo/${number}`
}
