/**
 * The first TypeScript block of a page that is marked as an example to run.
 * @param {string} markdown
 * @returns {string | undefined}
 */
export function firstExample(markdown) {
  return /<!-- example: first -->\s*```ts\b[^\n]*\n([\s\S]*?)\n```/.exec(markdown)?.[1]
}

/**
 * All TypeScript blocks of a page.
 * @param {string} markdown
 * @returns {string[]}
 */
export function examples(markdown) {
  return [...markdown.matchAll(/^```ts\b[^\n]*\n([\s\S]*?)\n```$/gm)].map(([, code = '']) => code)
}
