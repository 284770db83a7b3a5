import type { Fault } from '../errors'
import type { Declared } from './declared'
import { step } from './explain'
import { snakeCase } from './names'
import { closing, ownColumnsOf } from './physical'

const reserved = [
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'locale',
  'localizations',
  'createdBy',
  'updatedBy',
]

const reservedWords: ReadonlySet<string> = new Set(reserved.map(snakeCase))

/** `constructor` and the like are names that every object has: as a key they are found where nobody put them. */
const isInherited = (name: string): boolean => name in Object.prototype

function problemOf(name: string): Pick<Fault, 'problem' | 'remedy'> | undefined {
  if (isInherited(name)) return { problem: `${name} cannot be a name`, remedy: 'choose another' }
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) {
    const problem = `${JSON.stringify(name.slice(0, 80))} cannot be the name of an attribute`
    return { problem, remedy: 'a letter, then letters, digits and _' }
  }
  if (reservedWords.has(snakeCase(name))) {
    return { problem: `${name} is reserved`, remedy: `a name other than ${reserved.join(', ')}` }
  }
  return undefined
}

/** Two attributes must not share a column: `phone2` and `phone_2` would. */
function sharedColumns({ where, kind, attributes }: Declared): readonly Fault[] {
  const taken = new Map(kind === 'component' ? [] : closing.map(({ column }) => [column, 'every type']))
  return [...attributes].flatMap(([name, attribute]): readonly Fault[] => {
    if (problemOf(name) !== undefined) return []
    const columns = ownColumnsOf(name, attribute).map(({ column }) => column)
    const shared = columns.find((column) => taken.has(column))
    if (shared === undefined) {
      for (const column of columns) taken.set(column, name)
      return []
    }
    const problem = `takes the column ${shared}, as ${String(taken.get(shared))} does`
    return [{ where, pointer: `/attributes${step(name)}`, problem }]
  })
}

function typeNames({ where, kind, singularName, pluralName, collectionName }: Declared): readonly Fault[] {
  const names =
    kind === 'component'
      ? []
      : [['/info/singularName', singularName] as const, ['/info/pluralName', pluralName] as const]
  return [...names, ['/collectionName', collectionName] as const]
    .filter(([, name]) => isInherited(name))
    .map(([pointer, name]) => ({
      where,
      pointer,
      problem: `${name} cannot be a name`,
      remedy: 'choose another',
    }))
}

/** The names of one type: allowed, not reserved, each with a column of its own. */
export function checkNames(declared: Declared): readonly Fault[] {
  const { where, attributes, aside } = declared
  const unfit = [...attributes.keys(), ...aside].flatMap((name): readonly Fault[] => {
    const problem = problemOf(name)
    return problem === undefined ? [] : [{ where, pointer: `/attributes${step(name)}`, ...problem }]
  })
  return [...typeNames(declared), ...unfit, ...sharedColumns(declared)]
}
