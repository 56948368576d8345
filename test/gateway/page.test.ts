import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadAssets } from '../../src/gateway/page/assets.ts'
import { rawRequest } from '../support/gateway/raw-request.ts'
import { served } from '../support/gateway/served-gateway.ts'

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The address of one script that the page loads. */
async function scriptOf(url: string): Promise<string> {
  const html = await (await fetch(`${url}/`)).text()
  const [, path] = /<script[^>]* src="\.\/([^"]+)"/.exec(html) ?? []
  return `${url}/${path}`
}

describe('the page', () => {
  test('is served at the base path with a strict policy and nothing inline', async () => {
    const { url } = await served({ inbox: true })
    const response = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(CSP)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const html = await response.text()
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son[a-z]+=|style="|(src|href)="(https?:)?\/\//i)
  })

  test('has assets whose names change with their content: kept for a year, compressed if wanted', async () => {
    const { url } = await served({ inbox: true })
    const script = await scriptOf(url)
    const plain = await rawRequest(url, { path: new URL(script).pathname })
    expect(plain.status).toBe(200)
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const zipped = await fetch(script, { headers: { 'accept-encoding': 'gzip' } })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect(Number(zipped.headers.get('content-length'))).toBeLessThan(plain.body.length)
    expect(await zipped.text()).toBe(plain.body)
    const refused = await rawRequest(url, {
      path: new URL(script).pathname,
      headers: { 'accept-encoding': 'gzip;q=0' },
    })
    expect(refused.headers['content-encoding']).toBeUndefined()
  })

  test('answers 304 to what the browser has, and HEAD without a body', async () => {
    const { url } = await served({ inbox: true })
    const first = await fetch(`${url}/`)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    const again = await fetch(`${url}/`, { headers: { 'if-none-match': `"other", W/${etag}` } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    const changed = await fetch(`${url}/`, { headers: { 'if-none-match': '"other"' } })
    expect(changed.status).toBe(200)
    const head = await rawRequest(url, { path: '/', method: 'HEAD' })
    expect([head.status, head.body]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(String((await first.text()).length))
  })

  test.each([
    '/../package.json',
    '/assets/../../package.json',
    '/%2e%2e/package.json',
    '/assets/..%2f..%2findex.js',
    '/..\\package.json',
    '/assets/',
    '/assets/none-12345678.js',
    '/index.html/',
    '//etc/passwd',
    '/%00',
  ])('leads to no other file: %s', async (path) => {
    const { url } = await served({ inbox: true })
    const answer = await rawRequest(url, { path })
    expect([400, 404]).toContain(answer.status)
    expect(answer.body).not.toContain('"version"')
  })

  test('lives below a base path, and leads there from the path without its slash', async () => {
    const { url, server } = await served({ inbox: true, basePath: '/review' })
    expect(url).toMatch(/\/review$/)
    const moved = await fetch(url, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/review/'])
    expect((await fetch(await scriptOf(url))).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404)
  })

  test('is absent unless the gateway is told to serve it; a person reads a page, a program JSON', async () => {
    const { url } = await served()
    const page = await fetch(`${url}/`, { headers: { accept: 'text/html,*/*' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    const json = await fetch(`${url}/`)
    expect([json.status, await json.json()]).toEqual([404, { detail: 'There is nothing at this path.' }])
    const write = await fetch(`${url}/`, { method: 'POST' })
    expect(write.status).toBe(404)
  })
})

describe('the files of the page', () => {
  test('are those with a known type; source maps stay behind', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-page-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), '<!doctype html>')
    writeFileSync(join(folder, 'assets', 'index-AbCd_-12.js'), 'x'.repeat(1000))
    writeFileSync(join(folder, 'assets', 'index-AbCd_-12.js.map'), '{}')
    const files = loadAssets(folder)
    expect([...(files?.keys() ?? [])].sort()).toEqual(['assets/index-AbCd_-12.js', 'index.html'])
    const script = files?.get('assets/index-AbCd_-12.js')
    expect(script?.immutable).toBe(true)
    expect(files?.get('index.html')?.immutable).toBe(false)
    expect(String(gunzipSync(script?.gzipped ?? new Uint8Array()))).toBe('x'.repeat(1000))
  })
})
