import type { JsonValue } from '../../../../src/protocol/json/json.ts'
import { AnyValue } from './any-value.tsx'
import { SafeCode } from './safe-text.tsx'

/** Values of which only the names are known. A value without a name stands alone. */
export function NamedValues({ values }: { values: readonly { name: string; value: JsonValue }[] }) {
  return (
    <dl className="fields">
      {values.map(({ name, value }) => (
        <div key={name} className="field">
          {name !== '' && (
            <dt>
              <SafeCode text={name} />
            </dt>
          )}
          <dd>
            <AnyValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
