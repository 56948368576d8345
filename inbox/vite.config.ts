import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const entry = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))

/** The page is served from any base path, so all addresses in it are relative. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  resolve: { alias: { 'holdpoint/client': entry('client'), 'holdpoint/react': entry('react') } },
  // `npx vite inbox` shows the page as it is written, over the API of `holdpoint start --port 4747 --origin http://localhost:5173`.
  server: { port: 5173, strictPort: true, proxy: { '/v1': { target: 'http://127.0.0.1:4747', changeOrigin: false } } },
  build: { outDir: '../dist/inbox', emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
})
