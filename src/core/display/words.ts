/** The words of a name, in lower case: `amountCents`, `amount_cents` and `amount-cents` are `amount cents`. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

/** A name as the beginning of a sentence: `send_email` is `Send email`. */
export function sentenceOf(name: string): string {
  const text = wordsOf(name).join(' ')
  return text === '' ? name : text.charAt(0).toUpperCase() + text.slice(1)
}
