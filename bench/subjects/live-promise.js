// @ts-check

/** A bare hand-off of a promise: somebody waits, somebody else resolves it. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create() {
  return {
    async run() {
      /** @type {(value: boolean) => void} */
      let answer = () => {}
      const asked = new Promise((resolve) => {
        answer = resolve
      })
      queueMicrotask(() => answer(true))
      return asked
    },
  }
}
