import type { Model } from '../schema'
import {
  type ContentObject,
  type ContentValue,
  type WrittenValue,
  isObject,
  readValues,
  type WrittenValues,
} from './content'
import type { Faults } from './faults'
import type { State } from './seeding'
import { readInstant } from './to-stored'

/** One row of an entry, still as content. */
export interface Version {
  readonly locale: string | null
  readonly state: State
  readonly values: WrittenValues
}

export interface VersionsReading {
  readonly now: Date
  readonly locales: readonly string[]
  readonly defaultLocale: string
  readonly faults: Faults
}

/** An entry in one locale: what it says, and whether it is published. */
interface Text {
  readonly locale: string | null
  readonly values: WrittenValues
  readonly status: ContentValue
  readonly draft: WrittenValues | null
}

const merge = (base: WrittenValues, over: WrittenValues): WrittenValues => new Map([...base, ...over])

function allowKeys(
  object: ContentObject,
  path: string,
  allowed: readonly string[],
  { faults }: VersionsReading,
): void {
  const odd = Object.keys(object).filter((key) => key.startsWith('$') && !allowed.includes(key))
  for (const key of odd) {
    const remedy = `here one of ${allowed.join(', ')}`
    faults.add(`${path}.${key}`, 'is no key of seed, or cannot stand here', remedy)
  }
}

function readObject(
  object: ContentObject,
  key: string,
  path: string,
  { faults }: VersionsReading,
): ContentObject | null {
  const value = object[key]
  if (value === undefined) return null
  if (isObject(value)) return value
  faults.add(`${path}.${key}`, 'must be an object')
  return null
}

function readStatus(object: ContentObject, path: string, { faults }: VersionsReading): ContentValue {
  const { $status } = object
  if ($status !== undefined && $status !== 'draft' && $status !== 'published') {
    const remedy = "'draft' or 'published'; an object $draft holds what a draft changes on a published entry"
    faults.add(`${path}.$status`, 'is unknown', remedy)
  }
  return $status
}

function readText(
  object: ContentObject,
  locale: string | null,
  path: string,
  reading: VersionsReading,
): Text {
  const draft = readObject(object, '$draft', path, reading)
  const status = readStatus(object, path, reading)
  if (draft !== null && status === 'draft') {
    reading.faults.add(
      `${path}.$draft`,
      'changes a published entry, but this one is a draft',
      'leave out $status',
    )
  }
  const values = readValues(object, path)
  return { locale, values, status, draft: draft === null ? null : readValues(draft, `${path}.$draft`) }
}

function checkLocale(code: ContentValue, path: string, { locales, faults }: VersionsReading): string | null {
  if (typeof code === 'string' && (locales.length === 0 || locales.includes(code))) return code
  faults.add(path, 'is no locale of this content', `one of ${locales.join(', ')}`)
  return null
}

/** A locale takes over what it does not say itself. */
function readTexts(
  model: Model,
  entry: ContentObject,
  path: string,
  reading: VersionsReading,
): readonly Text[] {
  if (!model.localized) return [readText(entry, null, path, reading)]
  const locale = checkLocale(entry['$locale'] ?? reading.defaultLocale, `${path}.$locale`, reading)
  const base = readText(entry, locale, path, reading)
  const translations = Object.entries(readObject(entry, '$locales', path, reading) ?? {})
  const others = translations.map(([code, translation]) => {
    const place = `${path}.$locales.${code}`
    if (!isObject(translation)) reading.faults.add(place, 'must be an object')
    const object = isObject(translation) ? translation : {}
    allowKeys(object, place, model.draftAndPublish ? ['$status', '$draft'] : [], reading)
    const text = readText(object, checkLocale(code, place, reading), place, reading)
    return { ...text, values: merge(base.values, text.values), status: text.status ?? base.status }
  })
  return [base, ...others]
}

function withTimes(values: WrittenValues, now: Date, path: string): WrittenValues {
  const createdAt: WrittenValue = values.get('createdAt') ?? { value: now, path }
  const updatedAt = values.get('updatedAt') ?? { ...createdAt, path }
  const publishedAt = values.get('publishedAt') ?? { ...updatedAt, path }
  return merge(
    values,
    new Map([
      ['createdAt', createdAt],
      ['updatedAt', updatedAt],
      ['publishedAt', publishedAt],
    ]),
  )
}

/** A draft counts as modified when it was updated after its published row. */
function afterPublished(values: WrittenValues): WrittenValues {
  const updatedAt = values.get('updatedAt')
  const instant = readInstant(updatedAt?.value)
  if (updatedAt === undefined || instant === null) return values
  return merge(values, new Map([['updatedAt', { ...updatedAt, value: new Date(instant.getTime() + 1000) }]]))
}

function versionsOf(
  model: Model,
  { locale, values, status, draft }: Text,
  path: string,
  now: Date,
): Version[] {
  const timed = withTimes(values, now, path)
  if (!model.draftAndPublish) return [{ locale, state: 'only', values: timed }]
  const changed = draft === null ? timed : merge(afterPublished(timed), draft)
  const unpublished = merge(changed, new Map([['publishedAt', { value: null, path }]]))
  const draftVersion: Version = { locale, state: 'draft', values: unpublished }
  return status === 'draft' ? [draftVersion] : [draftVersion, { locale, state: 'published', values: timed }]
}

/** The rows of an entry in the order in which Strapi makes them: locale by locale, the draft first. */
export function readVersions(
  model: Model,
  entry: ContentObject,
  path: string,
  reading: VersionsReading,
): Version[] {
  const drafts = model.draftAndPublish ? ['$status', '$draft'] : []
  const locales = model.localized ? ['$locale', '$locales'] : []
  allowKeys(entry, path, ['$ref', ...drafts, ...locales], reading)
  return readTexts(model, entry, path, reading).flatMap((text) => versionsOf(model, text, path, reading.now))
}
