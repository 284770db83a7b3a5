import type { Fault } from '../errors'
import type { Attribute } from './attribute'
import type { Declared } from './declared'
import { didYouMean } from './nearest'

/** Attributes of every content type that may be private. */
export const closingNames = [
  'createdAt',
  'updatedAt',
  'publishedAt',
  'locale',
  'localizations',
  'createdBy',
  'updatedBy',
]

/** Strapi ignores them in lists of private attributes. */
const alwaysShown: ReadonlySet<string> = new Set(['id', 'documentId'])

const isText = (value: unknown): value is string => typeof value === 'string'

/** Its form is checked elsewhere. */
export const privateNamesIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter(isText) : []

/** The list overrides `"private": false` of the attribute. */
export const withPrivate = (
  attributes: ReadonlyMap<string, Attribute>,
  names: ReadonlySet<string>,
): ReadonlyMap<string, Attribute> =>
  new Map(
    [...attributes].map(([name, attribute]) => [
      name,
      names.has(name) ? { ...attribute, private: true } : attribute,
    ]),
  )

const namesOf = ({ kind, attributes, aside }: Declared): readonly string[] => [
  ...attributes.keys(),
  ...aside,
  ...(kind === 'component' ? [] : closingNames),
]

function faultsIn(
  place: (index: number) => Pick<Fault, 'where' | 'pointer'>,
  names: readonly string[],
  known: readonly string[],
): readonly Fault[] {
  return names.flatMap((name, index): readonly Fault[] => {
    if (known.includes(name)) return []
    const shown = JSON.stringify(name.slice(0, 80))
    return alwaysShown.has(name)
      ? [{ ...place(index), problem: `${shown} cannot be private`, remedy: 'every entry shows it' }]
      : [{ ...place(index), problem: `${shown} is no attribute`, remedy: didYouMean(name, known) }]
  })
}

/** A misspelled name hides nothing. */
export function faultsOfPrivateNames(
  declared: readonly Declared[],
  ofAll: readonly string[],
): readonly Fault[] {
  const own = declared.flatMap((one) =>
    faultsIn(
      (index) => ({ where: one.where, pointer: `/options/privateAttributes/${String(index)}` }),
      one.privateNames,
      namesOf(one),
    ),
  )
  const known = [...new Set(declared.flatMap(namesOf))]
  return [...own, ...faultsIn((index) => ({ where: `privateAttributes[${String(index)}]` }), ofAll, known)]
}
