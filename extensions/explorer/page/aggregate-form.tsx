import type { ComponentChildren } from 'preact'
import type { Address, QueryTable } from './address'
import { Choice, RemoveButton } from './controls'
import {
  functionNames,
  functionsOf,
  groupNames,
  groupsOf,
  isOfGroups,
  selectionOf,
  withFunctions,
  withGroups,
} from './group-names'
import { withValue } from './level'
import type { TypeData, TypesByUid } from './page-data'

interface NamesProps {
  readonly title: string
  readonly what: string
  readonly names: readonly string[]
  /** Options, under a label if there is one. */
  readonly offered: readonly (readonly [label: string, names: readonly string[]])[]
  readonly set: (names: readonly string[]) => void
}

function Names({ title, what, names, offered, set }: NamesProps): ComponentChildren {
  const left = offered
    .map(([label, all]) => [label, all.filter((name) => !names.includes(name))] as const)
    .filter(([, all]) => all.length > 0)
  const options = (all: readonly string[]): ComponentChildren =>
    all.map((name) => <option key={name}>{name}</option>)
  return (
    <fieldset>
      <legend>{title}</legend>
      <ul class="chosen">
        {names.map((name) => (
          <li key={name}>
            <span>{name}</span>
            <RemoveButton
              label={`Remove the ${what} ${name}`}
              remove={() => {
                set(names.filter((one) => one !== name))
              }}
            />
          </li>
        ))}
      </ul>
      <Choice
        label={`Add a ${what}`}
        value=""
        set={(name) => {
          if (name !== '') set([...names, name])
        }}
        none="choose"
      >
        {left.map(([label, all]) =>
          label === '' ? (
            options(all)
          ) : (
            <optgroup key={label} label={label}>
              {options(all)}
            </optgroup>
          ),
        )}
      </Choice>
    </fieldset>
  )
}

interface ReadChooserProps {
  readonly type: TypeData
  readonly asked: Address
  readonly go: (path: readonly string[], query: QueryTable) => void
}

/** Chooses between the entries of a list and groups of them. */
export function ReadChooser({ type, asked: { path, query }, go }: ReadChooserProps): ComponentChildren {
  const list = path.slice(0, 1)
  const isChosen = isOfGroups(type, path)
  const choose = (isOfEntries: boolean): void => {
    if (isOfEntries) go(list, selectionOf(query))
    else go([...list, 'aggregate'], { aggregate: { count: 'true' }, ...selectionOf(query) })
  }
  return (
    <div class="asking" role="radiogroup" aria-label="Read">
      {['Entries', 'Aggregate'].map((name, at) => (
        <label key={name}>
          <input
            type="radio"
            name="read"
            checked={isChosen === (at === 1)}
            onChange={() => {
              choose(at === 0)
            }}
          />{' '}
          {name}
        </label>
      ))}
    </div>
  )
}

interface AggregateFormProps {
  readonly query: QueryTable
  readonly type: TypeData
  readonly types: TypesByUid
  readonly put: (query: QueryTable) => void
}

/** Builds a query of groups. */
export function AggregateForm({ query, type, types, put }: AggregateFormProps): ComponentChildren {
  const groups = groupsOf(query)
  const functions = functionsOf(query)
  const sort = typeof query['sort'] === 'string' ? query['sort'] : ''
  const orders = [...functions, ...groups].flatMap((name) => [`${name}:desc`, name])
  const known = sort === '' || orders.includes(sort) ? orders : [sort, ...orders]
  return (
    <>
      <Names
        title="Groups"
        what="group"
        names={groups}
        offered={[['', groupNames(types, type)]]}
        set={(names) => {
          put(withGroups(query, names))
        }}
      />
      <Names
        title="Functions"
        what="function"
        names={functions}
        offered={[
          ['', ['count']],
          ...functionNames(types, type).map(
            ([of, names]) => [of, names.map((name) => `${of}.${name}`)] as const,
          ),
        ]}
        set={(names) => {
          put(withFunctions(query, names))
        }}
      />
      <Choice
        label="Sort groups by"
        value={sort}
        set={(name) => {
          put(withValue(query, 'sort', name))
        }}
        none="the groups"
        names={known}
      />
    </>
  )
}
