/** Shorter passwords would hide ordinary words. */
const SHORTEST = 4

/** What must not be shown of an address: all of it if it has a password or parameters, and the password alone. A file has nothing to hide. */
export function secretsInAddress(address: string): string[] {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(address)) return []
  // A password may hold an unescaped `/`, `?` or `#`: what stands before the last `@` may all be secret.
  const password = /^[^:]+:\/\/[^:@]*:(.*)@/s.exec(address)?.[1] ?? ''
  if (password === '' && !address.includes('?')) return []
  return [address, password, decoded(password)].filter((part) => part.length >= SHORTEST)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
