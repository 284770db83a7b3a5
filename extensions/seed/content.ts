/** A JSON value, a date, or an integer above 2^53. */
export type ContentValue =
  string | number | bigint | boolean | null | undefined | Date | readonly ContentValue[] | ContentObject

export interface ContentObject {
  readonly [key: string]: ContentValue
}

/**
 * Contains entries by type:
 * `{ article: [{ $ref: 'first', title: 'Dawn', author: 'ada' }], author: [{ $ref: 'ada', name: 'Ada' }] }`. Keys with
 * `$` are instructions for `seed`. All other keys are attributes. The page docs/how-to/seed.md describes the format.
 */
export interface SeedContent extends ContentObject {
  /** Lists the locale codes to register. The first locale code becomes the default locale. */
  readonly $locales?: readonly string[]
}

export interface WrittenValue {
  readonly value: ContentValue
  readonly path: string
}

export interface WrittenObject extends WrittenValue {
  readonly value: ContentObject
}

export type WrittenValues = ReadonlyMap<string, WrittenValue>

export function isContentObject(value: ContentValue): value is ContentObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

export function isWrittenObject(written: WrittenValue): written is WrittenObject {
  return isContentObject(written.value)
}

export function isContentList(value: ContentValue): value is readonly ContentValue[] {
  return Array.isArray(value)
}

const isDirection = (key: string): boolean => key.startsWith('$') || key === '__component'

/** The attributes of an object, each with its path; undefined values are left out. */
export function readValues({ value: object, path }: WrittenObject): WrittenValues {
  const given = Object.entries(object).filter(([key, value]) => !isDirection(key) && value !== undefined)
  return new Map(given.map(([key, value]) => [key, { value, path: `${path}.${key}` }]))
}
