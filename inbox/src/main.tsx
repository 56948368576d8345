import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { readPreferences } from './app/preferences.tsx'
import { loadWords } from './i18n/i18n.tsx'
import './styles/index.css'

const { language } = readPreferences(localStorage, navigator.languages)
const words = await loadWords[language]()

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App initial={{ language, words }} />
  </StrictMode>,
)
