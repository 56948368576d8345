/** Takes the code out of the address, so that it is in no history, bookmark or screenshot. Returns the code. */
export function takeCode(code: string | undefined): string | undefined {
  if (code !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}#/signin`)
  return code
}
