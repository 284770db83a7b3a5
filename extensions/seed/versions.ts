import type { Model } from '../../lib/schema'
import {
  type ContentValue,
  isContentObject,
  isWrittenObject,
  readValues,
  type WrittenObject,
  type WrittenValue,
  type WrittenValues,
} from './content'
import type { Faults } from './faults'
import type { State } from './seeding'
import { readInstant } from './to-stored'

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

/** An entry in one locale: its values, and its state. */
interface Text {
  readonly path: string
  readonly locale: string | null
  readonly values: WrittenValues
  readonly status: ContentValue
  readonly draft: WrittenValues | null
}

const merge = (base: WrittenValues, over: WrittenValues): WrittenValues => new Map([...base, ...over])

function allowKeys(
  { value, path }: WrittenObject,
  allowed: readonly string[],
  { faults }: VersionsReading,
): void {
  const odd = Object.keys(value).filter((key) => key.startsWith('$') && !allowed.includes(key))
  for (const key of odd) {
    const remedy = allowed.length === 0 ? 'remove the key' : `use one of ${allowed.join(', ')}`
    faults.add(`${path}.${key}`, 'the key is not allowed in this object', remedy)
  }
}

function readObject(
  { value, path }: WrittenObject,
  key: string,
  { faults }: VersionsReading,
): WrittenObject | null {
  const written = { value: value[key], path: `${path}.${key}` }
  if (written.value === undefined) return null
  if (isWrittenObject(written)) return written
  faults.add(written.path, 'the value must be an object')
  return null
}

function readStatus({ value, path }: WrittenObject, { faults }: VersionsReading): ContentValue {
  const { $status } = value
  if ($status !== undefined && $status !== 'draft' && $status !== 'published') {
    const remedy = `write 'draft' or 'published'. To add unpublished changes to a published entry, write the changes in the object $draft`
    faults.add(`${path}.$status`, 'the status is unknown', remedy)
  }
  return $status
}

function readText(written: WrittenObject, locale: string | null, reading: VersionsReading): Text {
  const draft = readObject(written, '$draft', reading)
  const status = readStatus(written, reading)
  if (draft !== null && status === 'draft') {
    reading.faults.add(
      draft.path,
      '$draft changes a published entry, but the entry is a draft',
      'remove the key $status',
    )
  }
  const { path } = written
  return {
    path,
    locale,
    status,
    values: readValues(written),
    draft: draft === null ? null : readValues(draft),
  }
}

function checkLocale(code: ContentValue, path: string, { locales, faults }: VersionsReading): string | null {
  if (typeof code === 'string' && (locales.length === 0 || locales.includes(code))) return code
  faults.add(path, 'the locale does not exist', `use one of ${locales.join(', ')}`)
  return null
}

/** A locale inherits attributes that it does not set. */
function readTexts(model: Model, entry: WrittenObject, reading: VersionsReading): readonly Text[] {
  if (!model.localized) return [readText(entry, null, reading)]
  const given = entry.value['$locale'] ?? reading.defaultLocale
  const base = readText(entry, checkLocale(given, `${entry.path}.$locale`, reading), reading)
  const translations = readObject(entry, '$locales', reading)
  const others = Object.entries(translations?.value ?? {}).map(([code, translation]) => {
    const path = `${entry.path}.$locales.${code}`
    if (!isContentObject(translation)) reading.faults.add(path, 'the value must be an object')
    const written = { value: isContentObject(translation) ? translation : {}, path }
    allowKeys(written, model.draftAndPublish ? ['$status', '$draft'] : [], reading)
    const text = readText(written, checkLocale(code, path, reading), reading)
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

/** A draft counts as modified if it was updated after its published row. */
function afterPublished(values: WrittenValues): WrittenValues {
  const updatedAt = values.get('updatedAt')
  const instant = readInstant(updatedAt?.value)
  if (updatedAt === undefined || instant === null) return values
  return merge(values, new Map([['updatedAt', { ...updatedAt, value: new Date(instant.getTime() + 1000) }]]))
}

function versionsOf(model: Model, { path, locale, values, status, draft }: Text, now: Date): Version[] {
  const timed = withTimes(values, now, path)
  if (!model.draftAndPublish) return [{ locale, state: 'only', values: timed }]
  const changed = draft === null ? timed : merge(afterPublished(timed), draft)
  const unpublished = merge(changed, new Map([['publishedAt', { value: null, path }]]))
  const draftVersion: Version = { locale, state: 'draft', values: unpublished }
  return status === 'draft' ? [draftVersion] : [draftVersion, { locale, state: 'published', values: timed }]
}

/** The rows of an entry in Strapi's order: locale by locale, the draft first. */
export function readVersions(model: Model, entry: WrittenObject, reading: VersionsReading): Version[] {
  const drafts = model.draftAndPublish ? ['$status', '$draft'] : []
  const locales = model.localized ? ['$locale', '$locales'] : []
  allowKeys(entry, ['$ref', ...drafts, ...locales], reading)
  return readTexts(model, entry, reading).flatMap((text) => versionsOf(model, text, reading.now))
}
