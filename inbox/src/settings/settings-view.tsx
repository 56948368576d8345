/** Filled in by its own change. */
export default function SettingsView() {
  return <main className="page" />
}
