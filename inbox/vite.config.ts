import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const entry = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))

/** The page is served from any base path, so all addresses in it are relative. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  resolve: { alias: { 'holdpoint/client': entry('client'), 'holdpoint/react': entry('react') } },
  build: { outDir: '../dist/inbox', emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
})
