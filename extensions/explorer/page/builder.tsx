import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Asking } from './answer'
import { type Address, formatAddress, type QueryTable, parseAddress } from './address'
import { AggregateForm, ReadChooser } from './aggregate-form'
import { attributeNodes, type EditLevel } from './attribute-nodes'
import { ConditionForm } from './condition-form'
import { conditionsOf, placeInWords, valueInWords, withCondition, withoutCondition } from './conditions'
import { Choice, RemoveButton } from './controls'
import { isOfGroups } from './group-names'
import { levelAt, ordersOf, withLevel, withOrders, type LevelChoice, levelChoices } from './level'
import { byName, namedIn, NamedQueryForm } from './named-query-form'
import { OrderForm } from './order-form'
import { SearchForm } from './search-form'
import { PageForm } from './page-form'
import { type PageData, type TypeData, typeAt, typesByUid } from './page-data'
import { Tree } from './tree'

interface BuilderProps {
  readonly text: string
  readonly asking: Asking
  readonly locales: readonly string[]
  readonly change: (text: string) => void
}

interface TypeChooserProps {
  readonly pageData: PageData
  readonly type: TypeData | undefined
  readonly choose: (path: string) => void
}

function TypeChooser({ pageData, type, choose }: TypeChooserProps): ComponentChildren {
  const served = pageData.types.flatMap(({ path, kind }) => (path === null ? [] : [{ path, kind }]))
  if (served.length === 0) return <p>The current role has no access to content types.</p>
  return (
    <label class="field type">
      <span>Content type</span>
      <select
        value={type?.path ?? ''}
        onChange={({ currentTarget }) => {
          choose(currentTarget.value)
        }}
      >
        {type === undefined ? <option value="">choose</option> : null}
        {served.map(({ path, kind }) => (
          <option key={path} value={path}>
            {kind === 'singleType' ? `${path} (one entry)` : path}
          </option>
        ))}
      </select>
    </label>
  )
}

interface EntriesProps {
  readonly level: LevelChoice
  readonly asks: QueryTable
  readonly asking: Asking
  readonly edit: EditLevel
  readonly isSorted: boolean
}

function Entries({ level: { path, type }, asks, asking, edit, isSorted }: EntriesProps): ComponentChildren {
  const types = typesByUid(asking.pageData.types)
  return (
    <>
      <fieldset>
        <legend>Filters</legend>
        <ul class="chosen">
          {conditionsOf(asks).map((condition) => (
            <li key={condition.path.join('.')}>
              <span>
                {placeInWords(condition)} <b>{valueInWords(condition)}</b>
              </span>
              <RemoveButton
                label={`Remove the filter ${placeInWords(condition)}`}
                remove={() => {
                  edit(path, (one) => withoutCondition(one, condition))
                }}
              />
            </li>
          ))}
        </ul>
        <ConditionForm
          type={type}
          types={types}
          asking={asking}
          add={(condition) => {
            edit(path, (one) => withCondition(one, condition))
          }}
        />
      </fieldset>
      {isSorted ? (
        <OrderForm
          orders={ordersOf(asks)}
          type={type}
          types={types}
          set={(orders) => {
            edit(path, (one) => withOrders(one, orders))
          }}
        />
      ) : null}
    </>
  )
}

interface QueryFormProps extends Omit<BuilderProps, 'text' | 'change'> {
  readonly type: TypeData
  readonly asked: Address
  readonly put: (query: QueryTable) => void
  readonly go: (path: readonly string[], query: QueryTable) => void
}

function GroupsForm({ type, asked: { query }, asking, put }: QueryFormProps): ComponentChildren {
  const types = typesByUid(asking.pageData.types)
  const edit: EditLevel = (at, make) => {
    put(withLevel(query, at, make))
  }
  const level: LevelChoice = { path: [], type, name: type.path ?? '' }
  return (
    <>
      <AggregateForm {...{ query, type, types, put }} />
      <Entries {...{ level, asking, edit }} asks={query} isSorted={false} />
    </>
  )
}

function OwnWords({ type, asked: { path, query }, asking, put }: QueryFormProps): ComponentChildren {
  const [levelName, setLevelName] = useState('')
  const types = typesByUid(asking.pageData.types)
  const top: LevelChoice = { path: [], type, name: type.path ?? '' }
  const all = levelChoices(types, query, top)
  const level = all.find(({ name }) => name === levelName) ?? top
  const isList = path.length === 1 && type.kind === 'collectionType'
  const edit: EditLevel = (at, make) => {
    put(withLevel(query, at, make))
  }
  return (
    <>
      <Tree
        label={`Attributes of ${top.name}`}
        of={type.uid}
        nodes={attributeNodes({ types, query, edit }, type, [])}
        isOpenAtFirst={() => false}
      />
      {all.length > 1 ? (
        <Choice
          label="Filter and sort"
          value={level.name}
          set={setLevelName}
          names={all.map(({ name }) => name)}
        />
      ) : null}
      <Entries
        key={level.name}
        {...{ level, asking, edit }}
        asks={levelAt(query, level.path) ?? {}}
        isSorted={isList || level.path.length > 0}
      />
    </>
  )
}

function QueryForm(props: QueryFormProps): ComponentChildren {
  const {
    type,
    asked: { path, query },
    locales,
    put,
  } = props
  const isGrouped = isOfGroups(type, path)
  const isList = isGrouped || (path.length === 1 && type.kind === 'collectionType')
  const named = <NamedQueryForm {...{ type, query, put }} />
  const isNamed = type.onlyByName || namedIn(query, type) !== undefined
  return (
    <>
      {isList && type.readings.includes('aggregate') ? <ReadChooser {...props} /> : null}
      {isList && type.ranked.length > 0 && !isGrouped && !isNamed ? (
        <SearchForm {...{ query, type, put }} />
      ) : null}
      {isGrouped ? <GroupsForm {...props} /> : isNamed ? named : <OwnWords {...props} />}
      <PageForm {...{ query, type, isList, locales }} set={put} />
      {isNamed || isGrouped ? null : named}
    </>
  )
}

export function Builder({ text, asking, locales, change }: BuilderProps): ComponentChildren {
  const { pageData } = asking
  const asked = parseAddress(text, pageData.at)
  const type = typeAt(pageData.types, asked.path[0] ?? '')
  const put = (path: readonly string[], query: QueryTable): void => {
    change(formatAddress({ path, query }, pageData.at))
  }
  return (
    <>
      <TypeChooser
        pageData={pageData}
        type={type}
        choose={(path) => {
          const next = typeAt(pageData.types, path)
          const [first] = next?.onlyByName === true ? next.queries : []
          put([path], first === undefined ? {} : byName({}, first.name))
        }}
      />
      {type === undefined ? null : (
        <QueryForm
          key={type.uid}
          {...{ type, asked, asking, locales }}
          go={put}
          put={(query) => {
            put(asked.path, query)
          }}
        />
      )}
    </>
  )
}
