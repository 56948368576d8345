/**
 * Whether a string sorts after another by code point, which is also the order of their UTF-8 bytes and so that of databases.
 * `>` compares UTF-16 units instead, and sorts characters beyond the basic plane before the last ones in it.
 */
export function textAfter(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)]
    if (x !== y) return isHalf(x) === isHalf(y) ? x > y : isHalf(x)
  }
  return a.length > b.length
}

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}
