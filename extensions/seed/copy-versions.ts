import type { Database } from '../../lib/database'
import { type Between, type LinkField, type Mixed, type Model, modelOf, type Uid } from '../../lib/schema'
import { type Clearing, clearFormerPartners, fieldsOf, fixedOf, holdsComponents } from './clear'
import type { Existing } from './existing'
import type { Seeding, VersionCopy } from './seeding'
import { toStored } from './to-stored'
import { moveSequence } from './write'

type JoinRow = Readonly<Record<string, unknown>>

interface Copying extends Clearing {
  readonly database: Database
  readonly now: Date
  readonly columnsOf: Existing['columnsOf']
  /** Rows of join tables by their text, as both sides of a relation yield the same row. */
  readonly joins: Map<string, Map<string, JoinRow>>
}

interface Copied extends VersionCopy {
  readonly copy: number
}

/** Values stay in the database: drivers may write another value than they read. */
async function copyRow({ database, now, columnsOf }: Copying, version: VersionCopy): Promise<Copied> {
  const { table, physical, kind } = version.model
  const { knex, dialect } = database
  const known = columnsOf(table)
  const columns = physical.columns
    .map(({ column }) => column)
    .filter((one) => one !== 'id' && known.includes(one))
  const last = await knex(table).max<{ highest: number | null }[]>('id as highest').first()
  const copy = (last?.highest ?? 0) + 1
  const places = columns.map(() => '??').join(', ')
  await knex.raw(
    `insert into ?? (??, ${places}) select ${String(copy)}, ${places} from ?? where ?? = ${String(version.source)}`,
    [table, 'id', ...columns, ...columns, table, 'id'],
  )
  if (dialect === 'postgres') await moveSequence(knex, table)
  if (kind === 'component') return { ...version, copy }
  const published = toStored(now, 'datetime', dialect)
  const publishedAt = version.state === 'published' && 'stored' in published ? published.stored : null
  await knex(table).where({ id: copy }).update({ published_at: publishedAt })
  return { ...version, copy }
}

/** The row of the same document and locale in this state. */
async function versionOf(
  { knex }: Copying,
  { table, draftAndPublish }: Model,
  id: number,
  state: VersionCopy['state'],
): Promise<number | null> {
  if (!draftAndPublish) return id
  const row = await knex<Record<string, unknown>>(table).where({ id }).first('document_id', 'locale')
  if (row === undefined) return null
  const versions = knex(table).where(row)
  const own = state === 'draft' ? versions.whereNull('published_at') : versions.whereNotNull('published_at')
  const [found] = (await own.pluck('id')) as number[]
  return found ?? null
}

/** The copied row holds the key of its source so far. */
async function moveKey(
  copying: Copying,
  { model, copy, state }: Copied,
  { key, targetOf }: { readonly key: string; readonly targetOf: (row: JoinRow) => unknown },
): Promise<void> {
  const own = copying.knex(model.table).where({ id: copy })
  const row = ((await own.clone().first()) ?? {}) as JoinRow
  const target = copying.schema.models.get(targetOf(row) as Uid)
  const held = row[key]
  if (target === undefined || typeof held !== 'number') return
  await own.update({ [key]: await versionOf(copying, target, held, state) })
}

async function moveTargets(
  copying: Copying,
  { source, copy, state }: Copied,
  {
    targets,
    theirs,
    where,
  }: { readonly targets: readonly Uid[]; readonly theirs: string; readonly where: JoinRow },
): Promise<void> {
  for (const uid of targets) {
    const target = modelOf(copying.schema, uid)
    const ids = (await copying
      .knex(target.table)
      .where({ ...where, [theirs]: source })
      .pluck('id')) as number[]
    for (const id of ids) {
      // A row without drafts holds one key: that of the published version.
      if (!target.draftAndPublish && state === 'draft') continue
      const version = await versionOf(copying, target, id, state)
      if (version !== null)
        await copying
          .knex(target.table)
          .where({ id: version })
          .update({ [theirs]: copy })
    }
  }
}

async function copyJoins(
  copying: Copying,
  { source, copy, state }: Copied,
  { field, link }: { readonly field: LinkField; readonly link: Between | Mixed },
): Promise<void> {
  const { knex, schema, joins } = copying
  const all = (await knex(link.table)
    .where({ [link.ours]: source })
    .orderBy('id')
    .select()) as readonly JoinRow[]
  // Collations may ignore case, so names are compared here.
  const fixed = Object.entries(fixedOf(field))
  for (const row of all.filter((one) => fixed.every(([key, value]) => one[key] === value))) {
    const uid = link.via === 'mixed' ? row[link.type] : field.targets[0]
    const model = schema.models.get(uid as Uid)
    const held = row[link.theirs]
    if (model === undefined || typeof held !== 'number') continue
    const theirs = holdsComponents(field)
      ? await copyDeep(copying, { model, source: held, state })
      : await versionOf(copying, model, held, state)
    if (theirs === null) continue
    const columns = { ...row, id: undefined, [link.ours]: copy, [link.theirs]: theirs }
    const rows = joins.get(link.table) ?? new Map<string, JoinRow>()
    joins.set(link.table, rows.set(JSON.stringify(columns), columns))
  }
}

async function copyLinks(copying: Copying, copied: Copied): Promise<void> {
  for (const field of fieldsOf(copied.model)) {
    const { link, targets } = field
    if (link.via === 'here') {
      await moveKey(copying, copied, { key: link.key, targetOf: (row) => row[link.type] })
    } else if (link.via === 'there') {
      await moveTargets(copying, copied, { targets, theirs: link.theirs, where: fixedOf(field) })
    } else if (link.ours === 'id') {
      await moveKey(copying, copied, { key: link.theirs, targetOf: () => targets[0] })
    } else if (copying.hasTable(link.table)) {
      await copyJoins(copying, copied, { field, link })
    }
  }
}

async function copyDeep(copying: Copying, version: VersionCopy): Promise<number> {
  const copied = await copyRow(copying, version)
  await copyLinks(copying, copied)
  return copied.copy
}

/**
 * Copies each document to its missing version, with components and links. Drafts link to drafts, published versions to
 * published ones.
 */
export async function copyVersions(
  database: Database,
  { schema, existing, now, copies }: Pick<Seeding, 'schema' | 'existing' | 'now' | 'copies'>,
): Promise<void> {
  const { knex } = database
  const { hasTable, columnsOf } = existing
  const copying: Copying = { knex, schema, database, now, hasTable, columnsOf, joins: new Map() }
  const copied: Copied[] = []
  for (const version of copies) copied.push(await copyRow(copying, version))
  // Links between copies need all of them.
  for (const one of copied) await copyLinks(copying, one)
  const rowsOf = (table: string): readonly JoinRow[] => [...(copying.joins.get(table)?.values() ?? [])]
  await clearFormerPartners(copying, (table) => rowsOf(table).map((columns) => ({ columns })))
  for (const table of copying.joins.keys()) for (const row of rowsOf(table)) await knex(table).insert(row)
}
