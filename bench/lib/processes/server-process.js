// @ts-check

/** One server's process: tells its port, then what it has used whenever it is asked, and ends when its parent lets go of it. */
const [, , module = '', params = '{}'] = process.argv
const { create } = /** @type {{ create: import('./server.js').CreateServer }} */ (
  await import(new URL(`../../subjects/${module}.js`, import.meta.url).href)
)
const { port, close } = await create(JSON.parse(params))

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1000, rss: process.memoryUsage.rss() })
})
process.on('disconnect', async () => {
  await close()
  process.exit()
})
process.send?.(port)
