import { lazy } from 'react'

/** The views that load when they are first opened. */
export const Decisions = lazy(() => import('../decisions/decisions-view.tsx'))
export const Grants = lazy(() => import('../grants/grants-view.tsx'))
export const Figures = lazy(() => import('../figures/figures-view.tsx'))
export const Thread = lazy(() => import('../thread/thread-view.tsx'))
export const Settings = lazy(() => import('../settings/settings-view.tsx'))
export const SignIn = lazy(() => import('../sign-in/sign-in-view.tsx'))
export const KeyboardHelp = lazy(() => import('../keyboard/keyboard-help.tsx'))
