// What the browser loads: the page, bundled, and its style.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Bundles the page. */
export async function buildPage(): Promise<string> {
  const { build } = await import('vite')
  const source = join(import.meta.dirname, 'page.tsx')
  const input = existsSync(source) ? source : join(import.meta.dirname, 'page.js')
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, rolldownOptions: { input } },
  })
  return 'output' in built ? built.output[0].code : ''
}

const style = `
  :root { color-scheme: light dark; --ink: light-dark(#1c2330, #e8ebf1); --soft: light-dark(#5c677a, #9aa5b8); --page: light-dark(#f4f5f8, #12151c);
    --card: light-dark(#ffffff, #1b202a); --line: light-dark(#dde1e9, #303848); --mine: light-dark(#2f5bd8, #3e68dd); --yes: light-dark(#18794e, #2a9a68);
    --hold: light-dark(#b35a00, #f0a54a); --no: light-dark(#b3261e, #f2877f) }
  * { box-sizing: border-box }
  body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
  main { display: flex; flex-direction: column; gap: 1rem; max-width: 44rem; min-height: 100dvh; margin: 0 auto; padding: 1.5rem 1rem 0 }
  header { border-bottom: 1px solid var(--line); padding-bottom: .75rem }
  h1 { margin: 0; font-size: 1.125rem } header p { margin: 0; color: var(--soft); font-size: .875rem }
  section { display: flex; flex-direction: column; gap: .75rem; align-items: flex-start }
  section p { margin: 0; padding: .5rem .875rem; border-radius: 1rem; background: var(--card); border: 1px solid var(--line); max-width: 85%; overflow-wrap: anywhere }
  section[aria-label=user] { align-items: flex-end } section[aria-label=user] p { background: var(--mine); border-color: var(--mine); color: #fff }
  .call { width: 100%; margin: 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-left: .25rem solid var(--soft); border-radius: .5rem }
  .call.waits { border-left-color: var(--hold) } .call.done { border-left-color: var(--yes) } .call.denied { border-left-color: var(--no) }
  .call h2 { display: flex; justify-content: space-between; gap: 1rem; margin: 0 0 .5rem; font-size: 1rem } .call h2 span { font-weight: 400; color: var(--soft) }
  .call.waits h2 span { color: var(--hold) } .call.done h2 span { color: var(--yes) } .call.denied h2 span { color: var(--no) }
  .call label, .call .value { display: grid; grid-template-columns: 6rem 1fr; gap: .5rem; align-items: center; margin: .25rem 0 }
  .call .value span, .call label { color: var(--soft) } .call output { display: block; margin-top: .5rem; overflow-wrap: anywhere }
  input { min-width: 0; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--page); color: var(--ink); font: inherit }
  button { padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--card); color: var(--ink); font: inherit; cursor: pointer }
  button.yes { background: light-dark(#18794e, #1f7a52); border-color: transparent; color: #fff } button.send { background: var(--mine); border-color: transparent; color: #fff }
  :focus-visible { outline: 2px solid var(--mine); outline-offset: 2px }
  .answers { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .75rem }
  [role=alert] { color: var(--no) }
  form.say { position: sticky; bottom: 0; display: flex; gap: .5rem; margin-top: auto; padding: .75rem 0 1rem; background: var(--page) } form.say input { flex: 1; background: var(--card) }
`

/** The document around the page. */
export const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Support</title><link rel="icon" href="data:,">
<style>${style}</style><div id="root"></div><script type="module" src="/page.js"></script></html>`
