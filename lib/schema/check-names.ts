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
  const faults: Fault[] = []
  for (const [name, attribute] of attributes) {
    if (problemOf(name) !== undefined) continue
    for (const { column } of ownColumnsOf(name, attribute)) {
      const other = taken.get(column)
      if (other === undefined) taken.set(column, name)
      else
        faults.push({
          where,
          pointer: `/attributes${step(name)}`,
          problem: `takes the column ${column}, as ${other} does`,
        })
    }
  }
  return faults
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
