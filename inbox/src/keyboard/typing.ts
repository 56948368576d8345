/** What a person types into. */
export const TYPING = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]'

/** Whether a key belongs to an input method, which makes characters of several keys: its Enter and Escape end the word, nothing else. */
export const isComposing = ({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  // Some browsers say that the word has ended before they tell of the key that ended it. The code is then still the one of input methods.
  isComposing || keyCode === 229

/** Gives an element the focus when something new is shown, unless somebody types elsewhere: their next letters would be keys of the page. */
export function takeFocus(element: HTMLElement | null): void {
  if (!document.activeElement?.closest(TYPING)) element?.focus({ preventScroll: true })
}
