import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Agent, definePolicy, openDesk, run, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { type InboxServer, useInbox } from './inbox/scene.ts'
import type { Seat } from './inbox/seat.ts'

vi.setConfig({ maxConcurrency: 4 })

const inbox = useInbox()

const ELSEWHERE = 'http://127.0.0.1:9/stolen'
const MARKUP = [
  `<img src="${ELSEWHERE}?img" onerror="globalThis.owned=1">`,
  `</script><script>globalThis.owned=1;fetch('${ELSEWHERE}')</script>`,
  `<iframe src="${ELSEWHERE}"></iframe><svg onload="globalThis.owned=1"></svg><style>@import '${ELSEWHERE}';</style>`,
  `<a href="javascript:globalThis.owned=1">a</a> javascript:globalThis.owned=1 data:text/html,<script>globalThis.owned=1</script>`,
  `![pixel](${ELSEWHERE}?md) [click](javascript:globalThis.owned=1) **bold** \`code\` <${ELSEWHERE}>`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: template syntax is the point
  '{{constructor.constructor("globalThis.owned=1")()}} ${globalThis.owned=1} #{7*7} <%= 7*7 %>',
].join(' ')
/** ANSI, bidirectional, zero-width and tag characters. */
const HIDDEN = '\u001b[31m\u001b]8;;http://x\u0007\u202e\u2066\u200b\u200d\ufeff\u00ad\u{e0041}\u0000\u0085\u2028'
/** What must not be in the page as a character: whatever cannot be seen, except line ends and tabs. */
const INVISIBLE = '(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]'
const LONG = 'x'.repeat(100_000)

/** Hostile text that says where it came from. */
const evil = (where: string) => `${where}: ${MARKUP} ${HIDDEN}`

/** Stores refuse U+0000 in names. */
const named = (where: string) => evil(where).replaceAll('\u0000', '')

/** Tool names, ids of people and threads have rules of their own; all that these let through is here. */
async function fill(server: InboxServer): Promise<{ threadId: string; ids: string[] }> {
  const { store } = server
  const desk = openDesk({ store })
  const wild = tool({
    name: 'wild_tool',
    description: evil('tool description'),
    parameters: z.record(z.string(), z.json()),
    needsApproval: true,
    preview: () => ({
      [evil('preview key')]: evil('preview value'),
      diff: `--- a/${MARKUP}\n+++ b/${HIDDEN}\n@@ -1 +1 @@\n-${evil('diff old')}\n+${evil('diff new')}\n`,
      rows: [{ [evil('column')]: evil('cell') }],
    }),
    preconditions: () => ({ [evil('fact')]: evil('fact value') }),
    display: {
      environment: evil('environment'),
      affected: evil('affected'),
    },
    execute: () => evil('result'),
  })
  const titled = tool({
    name: 'titled',
    description: 'Titled.',
    parameters: z.object({
      to: z.string(),
      list: z.array(z.string()),
      sql: z.string(),
      url: z.string(),
      big: z.string(),
    }),
    needsApproval: true,
    display: {
      title: `Send ${MARKUP.replaceAll(/[{}]/g, '')} to {to}`,
      fields: { to: { format: 'email', label: evil('label') }, list: 'list', sql: 'sql', url: 'url', big: 'text' },
    },
    execute: () => 'done',
  })
  const asking = tool({
    name: 'asking',
    description: 'Asks.',
    parameters: z.object({}),
    resumable: true,
    execute: async (_, ctx) => {
      await ctx.ask([
        {
          key: evil('question key'),
          prompt: evil('prompt'),
          options: [
            { value: evil('option value'), label: evil('option label'), description: evil('option description') },
          ],
        },
      ])
      return 'done'
    },
  })
  const confirming = tool({
    name: 'confirming',
    description: 'Confirms.',
    parameters: z.object({}),
    resumable: true,
    execute: async (_, ctx) => {
      await ctx.confirm(evil('confirm prompt'), { details: { [evil('detail')]: evil('detail value') } })
      return 'done'
    },
  })
  const threadId = 'javascript:globalThis.owned=1/+~..//@x'
  const policy = definePolicy(
    ({ toolName }) =>
      toolName === 'asking' || toolName === 'confirming'
        ? { verdict: 'allow' }
        : {
            verdict: 'review',
            description: evil('policy description'),
            ...(toolName === 'titled' ? { reviewers: ['user:ann', `group:${named('group')}`] } : {}),
          },
    { name: named('policy name').slice(0, 100) },
  )
  const calls = [
    {
      id: 'c0',
      name: 'wild_tool',
      args: { [evil('key')]: evil('value'), nested: { [evil('inner')]: [evil('item')] }, long: LONG },
    },
    {
      id: 'c1',
      name: 'titled',
      args: {
        to: evil('title argument'),
        list: [evil('list item'), LONG],
        sql: `SELECT '${MARKUP}' -- ${HIDDEN}`,
        url: 'javascript:globalThis.owned=1',
        big: `${MARKUP}${'\n'.repeat(60)}${LONG}`,
      },
    },
    { id: 'c2', name: 'asking', args: {} },
    { id: 'c3', name: 'confirming', args: {} },
  ]
  const agent = new Agent({
    name: named('agent').slice(0, 120),
    model: scriptedModel([{ text: evil('model words'), toolCalls: calls }, evil('last words')]),
    tools: [wild, titled, asking, confirming],
    policy: [policy],
  })
  const { interruptions } = await run(agent, evil('user words'), { store, threadId })
  const ids = interruptions.map(({ id }) => id)
  const by = { kind: 'person' as const, id: named('person'), via: 'api' as const }
  for (const id of ids) {
    await desk.comment(id, { text: evil('comment'), by })
    await desk.assign(id, { assignee: named('assignee'), by, seconds: 600 })
  }
  // One that is decided already, with a reason.
  const [old] = (await run(agent, evil('user words'), { store, threadId: `${threadId}.old` })).interruptions
  if (old)
    await desk.decide({
      request: old.id,
      decision: { type: 'reject', message: evil('reason') },
      comment: evil('record'),
      by,
    })
  return { threadId, ids }
}

/** What is wrong with the page as it is now. */
async function problemsOf({ page }: Seat): Promise<unknown> {
  return page.evaluate((pattern) => {
    const invisible = new RegExp(pattern, 'u')
    const all = [...document.querySelectorAll('*')]
    const foreign =
      'script:not([src]), iframe, object, embed, base, form[action], meta[http-equiv], a[href^="javascript:" i], a[href^="data:" i], [style*="url("]'
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const hidden: string[] = []
    while (texts.nextNode()) {
      const { nodeValue } = texts.currentNode
      // What is edited stays as it is; the column beside it shows what is hidden in it.
      if (texts.currentNode.parentElement?.tagName === 'TEXTAREA') continue
      if (invisible.test(nodeValue ?? ''))
        hidden.push(`text in ${texts.currentNode.parentElement?.className}: ${nodeValue?.slice(0, 60)}`)
    }
    const allowed = new Set(['value', 'href'])
    for (const element of all)
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on')) hidden.push(`${element.tagName} has ${name}`)
        if (!allowed.has(name) && invisible.test(value))
          hidden.push(`${element.tagName}[${name}] ${element.className}: ${value.slice(0, 60)}`)
      }
    return {
      owned: (globalThis as { owned?: unknown }).owned,
      foreign: [...document.querySelectorAll(foreign)].map((element) => element.outerHTML.slice(0, 100)),
      images: [...document.querySelectorAll<HTMLImageElement>('img')].map(({ src }) => src),
      links: [...document.querySelectorAll('a')]
        .map(({ href }) => href)
        .filter((href) => !href.startsWith(location.origin)),
      hidden: [...new Set(hidden)],
      title: invisible.test(document.title),
      sideways: document.documentElement.scrollWidth > innerWidth + 1,
    }
  }, INVISIBLE)
}

/** Opens all that is folded. */
async function unfold({ page }: Seat): Promise<void> {
  await page.evaluate(async () => {
    for (const details of document.querySelectorAll('details')) details.open = true
    for (const button of document.querySelectorAll('button'))
      if (button.ariaExpanded === 'false' || button.textContent?.startsWith('Show all')) button.click()
    for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
  })
}

const CLEAN = { owned: undefined, foreign: [], images: [], links: [], hidden: [], title: false, sideways: false }

it.each([1440, 390])('text from outside is text in every field of every view, at %d px', async (width) => {
  const server = await inbox.serve()
  const { threadId, ids } = await fill(server)
  const seat = await inbox.seat(
    server,
    { sub: 'ann', roles: ['reviewer', 'admin'], groups: [named('group')] },
    { viewport: { width, height: 900 } },
  )
  const { page } = seat
  const found: unknown[] = []
  const look = async (what: string) => {
    const problems = await problemsOf(seat)
    if (JSON.stringify(problems) !== JSON.stringify(CLEAN)) found.push([what, problems])
  }
  for (const id of ids) {
    await page.goto(`${server.url}/#/inbox/${id}`)
    await page.locator('#request article:not([aria-busy])').waitFor()
    await look(`request ${ids.indexOf(id)}`)
    await unfold(seat)
    await look(`request ${ids.indexOf(id)}, all of it`)
    const edit = page.getByRole('button', { name: /^Edit/ })
    if (await edit.count()) {
      await seat.rested()
      await edit.click()
      await page.locator('form.edit').waitFor()
      await look(`request ${ids.indexOf(id)}, edited`)
      await page.keyboard.press('Escape')
    }
  }
  await page.goto(`${server.url}/#/inbox`)
  await look('queue')
  const views = ['decisions', 'grants', 'figures', 'settings', `thread/${encodeURIComponent(threadId)}`]
  for (const view of views) {
    await page.goto(`${server.url}/#/${view}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    await unfold(seat)
    await look(view)
  }
  expect(found).toEqual([])
  expect(seat.requested.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([])
  expect(seat.complaints).toEqual([])
})
