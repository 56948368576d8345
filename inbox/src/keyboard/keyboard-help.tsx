import { usePreferences } from '../app/preferences.tsx'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { keyName } from './key-name.ts'

/** All keys, and the switch that turns them off. */
export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { keyboard } = useInboxWords()
  const [{ keys }, change] = usePreferences()
  const { keys: k } = keyboard
  return (
    <Dialog title={keyboard.title} onClose={onClose}>
      <div className="help-grid">
        <Keys
          title={keyboard.move}
          rows={[
            [['J', 'K'], k.next],
            [['G', 'I'], k.inbox],
            [['G', 'D'], k.decisions],
            [['G', 'G'], k.grants],
            [['G', 'F'], k.figures],
            [['/'], k.search],
            [[']'], k.context],
          ]}
        />
        <Keys
          title={keyboard.decide}
          rows={[
            [['A', '↵'], k.approve],
            [['E'], k.edit],
            [['R'], k.reject],
            [['S'], k.respond],
            [['Z'], k.undo],
            [['⌘', '↵'], k.send],
          ]}
        />
        <Keys
          title={keyboard.select}
          rows={[
            [['X'], k.pick],
            [['⇧', 'X'], k.pickTo],
            [['Esc'], k.clear],
          ]}
        />
        <Keys
          title={keyboard.read}
          rows={[
            [['M'], k.model],
            [['V'], k.preview],
            [['.'], k.copy],
            [['?'], k.help],
          ]}
        />
      </div>
      <p className="quiet">{keyboard.note}</p>
      <label className="switch">
        <input
          type="checkbox"
          role="switch"
          aria-checked={keys}
          checked={keys}
          onChange={(event) => change({ keys: event.target.checked })}
        />
        <span className="switch-face" />
        <span>{keyboard.toggle}</span>
      </label>
    </Dialog>
  )
}

function Keys({ title, rows }: { title: string; rows: readonly (readonly [readonly string[], string])[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {rows.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key, at) => (
                <kbd key={at}>{keyName(key)}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
