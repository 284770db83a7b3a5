import type { Fault } from '../errors'
import type { Declared } from './declared'
import type { Reading } from './reading'
import { step } from './explain'
import { areTwins, snakeCase } from './names'
import { closingColumns, ownColumnsOf } from './physical-of'
import { closingNames } from './private-names'

const reserved = ['id', 'documentId', ...closingNames]

const reservedWords: ReadonlySet<string> = new Set(reserved.map(snakeCase))

/** Not even Strapi starts with them, in a component neither. */
const refusedByStrapi: ReadonlySet<string> = new Set(['id', 'document_id'])

/** `constructor` and the like are names that every object has: as a key they are found in objects that do not have them. */
const isInherited = (name: string): boolean => name in Object.prototype

/** What is wrong with a name. `cost`: Strapi starts with it all the same, and this is why it is not served. */
interface NameProblem extends Pick<Fault, 'problem' | 'remedy'> {
  readonly cost?: string
}

/** What the column is called after has to hold something that tells it from a place in a list. */
const isSpeakable = (name: string): boolean =>
  /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*$/u.test(name) && /\D/.test(snakeCase(name))

function unfit(name: string, isFit: boolean): NameProblem | undefined {
  if (isInherited(name)) return { problem: `${name} cannot be a name`, remedy: 'choose another' }
  if (isFit) return undefined
  const problem = `${JSON.stringify(name.slice(0, 80))} cannot be the name of an attribute`
  return { problem, remedy: 'a letter, then letters, digits and _' }
}

/** What Strapi has itself takes the place of an attribute of the name; a name that only resembles it is free. */
export function looseProblem(name: string, isComponent: boolean): NameProblem | undefined {
  const problem = unfit(name, isSpeakable(name))
  if (problem !== undefined) return { ...problem, cost: problem.problem }
  if (refusedByStrapi.has(snakeCase(name)))
    return { problem: `${name} is reserved`, remedy: 'a name other than id and documentId' }
  if (isComponent || !reserved.includes(name)) return undefined
  return { problem: `${name} is reserved`, cost: `${name} is what every type has of itself` }
}

/** One name has one spelling: no letter that only looks like others. */
const hasOneSpelling = (name: string): boolean => /^\p{L}/u.test(name) && name === name.normalize('NFKC')

const isPlain = (name: string): boolean => hasOneSpelling(name) && !name.includes('-')

function strictProblem(name: string): NameProblem | undefined {
  const problem = unfit(name, isSpeakable(name) && isPlain(name))
  if (problem !== undefined || !reservedWords.has(snakeCase(name))) return problem
  return { problem: `${name} is reserved`, remedy: `a name other than ${reserved.join(', ')}` }
}

type ProblemOf = (name: string, isComponent: boolean) => NameProblem | undefined

/**
 * Two attributes must not share a column: `phone2` and `phone_2` would. The names of components, zones and media are values in link
 * tables, where a collation may take `seo` and `Seo` for one.
 */
function sharedNames({ where, kind, attributes }: Declared, problemOf: ProblemOf): readonly Fault[] {
  const isComponent = kind === 'component'
  const taken = new Map(isComponent ? [] : closingColumns.map(({ column }) => [column, 'every type']))
  const names: string[] = []
  return [...attributes].flatMap(([name, attribute]): readonly Fault[] => {
    if (problemOf(name, isComponent) !== undefined) return []
    const columns = ownColumnsOf(name, attribute).map(({ column }) => column)
    const fault = (problem: string): Fault => ({ where, pointer: `/attributes${step(name)}`, problem })
    const shared = columns.find((column) => taken.has(column))
    if (shared !== undefined)
      return [fault(`takes the column ${shared}, as ${String(taken.get(shared))} does`)]
    const twin = names.find((other) => areTwins(other, name))
    if (twin !== undefined) return [fault(`differs from ${twin} in case or accents alone`)]
    for (const column of columns) taken.set(column, name)
    names.push(name)
    return []
  })
}

function typeNames(
  { where, kind, singularName, pluralName, collectionName }: Declared,
  reading: Reading,
): readonly Fault[] {
  const names =
    kind === 'component'
      ? []
      : [['/info/singularName', singularName] as const, ['/info/pluralName', pluralName] as const]
  return [...names, ['/collectionName', collectionName] as const]
    .filter(([, name]) => isInherited(name) || (reading === 'strict' && name !== '' && !hasOneSpelling(name)))
    .map(([pointer, name]) => ({
      where,
      pointer,
      problem: `${name} cannot be a name`,
      remedy: 'choose another',
    }))
}

/** The names of one type: allowed, not reserved, each with a column of its own. */
export function checkNames(declared: Declared, reading: Reading): readonly Fault[] {
  const { where, kind, attributes, aside } = declared
  const problemOf = reading === 'strict' ? strictProblem : looseProblem
  // What was put aside is left out already, where that is all it costs.
  const names = reading === 'strict' ? [...attributes.keys(), ...aside] : [...attributes.keys()]
  const unfit = names.flatMap((name): readonly Fault[] => {
    const found = problemOf(name, kind === 'component')
    if (found === undefined) return []
    const { problem, remedy } = found
    const fault = { where, pointer: `/attributes${step(name)}`, problem }
    return [remedy === undefined ? fault : { ...fault, remedy }]
  })
  return [...typeNames(declared, reading), ...unfit, ...sharedNames(declared, problemOf)]
}
