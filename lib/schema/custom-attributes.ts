import type { CustomAttribute } from './custom-fields'
import type { Declaring } from './declare'
import type { Declarations, Declared } from './declared'
import { step } from './explain'
import { columnName, tableName } from './names'

/** Where each attribute stands that the database may know more of. */
export function customAttributesOf({ declared, custom }: Declaring): readonly CustomAttribute[] {
  const { where, uid, collectionName } = declared
  return custom.map(({ attribute, customField, isKnown }) => ({
    where,
    pointer: `/attributes${step(attribute)}/customField`,
    uid,
    attribute,
    customField,
    table: tableName(collectionName),
    column: columnName(attribute),
    isKnown,
  }))
}

function without(declared: Declared, names: ReadonlySet<string>): Declared {
  if (names.size === 0) return declared
  const attributes = new Map([...declared.attributes].filter(([name]) => !names.has(name)))
  return { ...declared, attributes, aside: new Set([...declared.aside, ...names]) }
}

/** An attribute of unknown type has been checked with the rest, and goes no further. */
export function withoutUnknown(all: Declarations, custom: readonly CustomAttribute[]): Declarations {
  const unknownOf = (uid: string): ReadonlySet<string> =>
    new Set(custom.filter((one) => one.uid === uid && !one.isKnown).map(({ attribute }) => attribute))
  return new Map([...all].map(([uid, declared]) => [uid, without(declared, unknownOf(uid))]))
}
