import type { QueryTable } from './address'
import {
  alwaysShown,
  choosableFields,
  fieldsOf,
  hasFragment,
  isPopulated,
  levelAt,
  type LevelPath,
  withAllFields,
  withField,
  withFragment,
  withLink,
  withoutFields,
  stepTo,
} from './level'
import { aboutLink } from './places'
import {
  isOfSeveral,
  targetsOf,
  type LinkData,
  type ScalarData,
  type TypeData,
  type TypesByUid,
} from './page-data'
import type { TreeNode } from './tree'

/** Changes a level of the query, and adds it if missing. */
export type EditLevel = (path: LevelPath, make: (level: QueryTable) => QueryTable) => void

export interface Editing {
  readonly types: TypesByUid
  readonly query: QueryTable
  readonly edit: EditLevel
}

interface Above {
  readonly type: TypeData
  readonly path: LevelPath
  /** Null if the query does not contain the level. */
  readonly level: QueryTable | null
}

const idOf = (path: LevelPath, name: string): string =>
  [...path.map(({ link, on }) => (on === null ? link : `${link}(${on})`)), name].join('.')

export function attributeNodes(editing: Editing, type: TypeData, path: LevelPath): readonly TreeNode[] {
  const above = { type, path, level: levelAt(editing.query, path) }
  return [
    // A type has few relations and often many fields, so both are in sight.
    ...type.links.map((link) => linkNode(editing, link, above)),
    ...allNodes(editing, above),
    ...type.scalars.map((scalar) => scalarNode(editing, scalar, above)),
  ]
}

/** One checkbox for all attributes. Any selection is cleared first, so a single attribute is always two clicks away. */
function allNodes({ edit }: Editing, { type, path, level }: Above): readonly TreeNode[] {
  const all = choosableFields(type)
  if (all.length < 2) return []
  const shown = level === null ? [] : (fieldsOf(level) ?? all)
  const count = all.filter((name) => shown.includes(name)).length
  const about = `${String(count)} of ${String(all.length)}`
  return [
    {
      id: idOf(path, '*'),
      name: `all attributes, ${about}`,
      label: (
        <>
          <span class="name">all attributes</span> <span class="about">{about}</span>
        </>
      ),
      isChecked: count > 0 && count < all.length ? 'mixed' : count > 0,
      check: () => {
        edit(path, count > 0 ? withoutFields : withAllFields)
      },
    },
  ]
}

function scalarNode(
  { edit }: Editing,
  { name, type: kind }: ScalarData,
  { type, path, level }: Above,
): TreeNode {
  const isAlways = alwaysShown.includes(name)
  const shown = level === null ? [] : fieldsOf(level)
  const check = (): void => {
    edit(path, (one) => (level === null ? { ...one, fields: [name] } : withField(one, type, name)))
  }
  return {
    id: idOf(path, name),
    name: `${name}, ${kind}`,
    label: (
      <>
        <span class="name">{name}</span> <span class="about">{kind}</span>
      </>
    ),
    isChecked: level !== null && (isAlways || shown === null || shown.includes(name)),
    ...(isAlways ? {} : { check }),
  }
}

function linkNode(editing: Editing, link: LinkData, { type, path, level }: Above): TreeNode {
  const { name } = link
  const below = [...path, stepTo(link, type)]
  const targets = targetsOf(editing.types, link)
  const [target] = targets
  const children = (): readonly TreeNode[] => {
    if (isOfSeveral(link)) return targets.map((one) => fragmentNode(editing, one, below))
    return target === undefined ? [] : attributeNodes(editing, target, below)
  }
  return {
    id: idOf(path, name),
    name: `${name}, ${aboutLink(link)}`,
    label: (
      <>
        <span class="name link">{name}</span> <span class="about">{aboutLink(link)}</span>
      </>
    ),
    isChecked: level !== null && isPopulated(level, name),
    check: () => {
      editing.edit(path, (one) => withLink(one, type, name))
    },
    ...(target === undefined ? {} : { children }),
  }
}

function fragmentNode(editing: Editing, type: TypeData, path: LevelPath): TreeNode {
  const level = levelAt(editing.query, path)
  const own = path.map((step, at) => (at === path.length - 1 ? { ...step, on: type.uid } : step))
  return {
    id: idOf(own, 'on'),
    name: `${type.uid}, one of several types`,
    label: <span class="name link">{type.uid}</span>,
    isChecked: level !== null && hasFragment(level, type.uid),
    check: () => {
      editing.edit(path, (one) => withFragment(one, type.uid))
    },
    children: () => attributeNodes(editing, type, own),
  }
}
