// @ts-check

let shown = ''

/** Says on stderr what is under way: over the same line on a terminal, else only when the words before the numbers change. @param {string} text */
export function progress(text) {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001b[K${text}`)
    return
  }
  const kind = text.replace(/[\d█░]+/g, '')
  if (text !== '' && kind !== shown) process.stderr.write(`${text} …\n`)
  shown = kind
}
