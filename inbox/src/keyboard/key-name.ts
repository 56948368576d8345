/** How a key is called on this device: only Apple's keyboards have `⌘`. */
export function keyName(key: string, platform: string = navigator.platform): string {
  return key === '⌘' && !/^(mac|iphone|ipad)/i.test(platform) ? 'Ctrl' : key
}
